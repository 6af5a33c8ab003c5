"""Whether a model that predicts the next token may look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.masks import hides_next
from ..look.places import Place
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .next_tokens import LOSSES, VARIED, are_next
from .recurrent import CELLS, RECURRENT, ran_over
from .tensors import readable

if TYPE_CHECKING:
    import torch

LAYER, PRODUCT, WEIGHTS = "multi_head_attention_forward", "scaled_dot_product_attention", "softmax"
"""What nn.MultiheadAttention calls in training, what most others call, and what attention written by hand ends in."""

PARTS = ("__getitem__", "chunk", "split", "tensor_split", "narrow", "view", "reshape", "unflatten")
"""What tells the two directions of a recurrent layer apart again."""

SHORT = 4
"""Places without which labels may be the inputs of the next place by chance."""


class Lookahead(Check):
    """Compares labels with tokens one place further on, and asks each attention over these places whether it hides the next one.

    A mask that is off by one hides something and not that. One that is open in a prefix only, or within documents, hides it somewhere.
    A recurrent layer that reads in both directions hides none, unless its directions are taken apart again, each for a loss of its own.
    Where one layer hides what follows, others need not, so that nothing is said unless none does. Attention over as many patches
    of a picture as there are tokens is no such thing, so that the tokens must be all that the model is given, masks aside.
    A model of two sequences, which reads one and writes the other, may attend freely over the first: its sequences are told apart
    by their length, and nothing is said where that is the same. Where it writes what it reads, it may look at what it has read.
    """

    name = "lookahead"
    early = 3
    functions = (LAYER, PRODUCT, WEIGHTS, *RECURRENT, *CELLS, *PARTS, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._tokens: dict[int, Any] = {}
        """Of each length."""
        self._open: dict[int, Place] = {}
        """Where attention over so many places hid no next one."""
        self._hidden: set[int] = set()
        self._given: list[Any] = []
        """All tokens, whichever of their axes holds the places."""
        self._read: dict[tuple[int, ...], int] = {}
        """Places of what a layer gave that had read in both directions, by its shape."""

    def look_began(self, step: int) -> None:
        """Nothing attended yet."""
        self._tokens, self._open, self._hidden = {}, {}, set()
        self._given, self._read = [], {}

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The tokens, where the model is given nothing else but flags, or the same once more as labels."""
        self.look_began(0)
        given = [one for one in tensors_in(self.torch.Tensor, (args, kwargs)) if one.dim() > 1]
        if not all(readable(self.torch, one) for one in given):
            return
        tokens = [one for one in given if self._are_tokens(one)]
        others = [one for one in given if one.dtype.is_floating_point and one.dim() > 2]
        laid = [sorted(one.shape[:2]) for one in others]
        self._given = [one for one in tokens if sorted(one.shape) not in laid]
        if others:
            return
        # Either axis may hold the places: which of them, tells what attends over as many.
        if len({one.shape for one in tokens}) == 1:
            tokens = tokens[:1]
        laid_out = [rows for one in tokens for rows in _either_way(one.detach())]
        lengths = [rows.shape[1] for rows in laid_out]
        self._tokens = {rows.shape[1]: rows for rows in laid_out if lengths.count(rows.shape[1]) == 1}

    def called(self, call: Call) -> None:
        """A layer attends, or a loss is computed of what came out."""
        if not self._tokens and not self._given:
            return
        if call.name in LOSSES:
            self._judge(call)
            return
        if call.name in CELLS:
            self._given, self._tokens = [], {}  # it writes one token after the other
            return
        if call.name in RECURRENT:
            self._recur(call)
            return
        if call.name in PARTS:
            self._take(call)
            return
        length = self._attended(call)
        if length and length not in self._hidden:
            if self._hides(call, length):
                self._hidden.add(length)
            elif length not in self._open:
                self._open[length] = call.place()

    def look_ended(self, step: int) -> None:
        """Nothing is kept between looks."""
        self.look_began(step)

    def _are_tokens(self, tensor: Any) -> bool:
        whole = tensor.dtype in (self.torch.int64, self.torch.int32)
        return bool(
            whole and tensor.dim() == 2 and max(tensor.shape) >= SHORT and len(tensor[:64].unique()) >= VARIED
        )

    def _attended(self, call: Call) -> int:
        """Over how many places a sequence attends to itself; 0 where it looks at another, or nothing attends."""
        if call.name == WEIGHTS:
            weights = call.result
            if not readable(self.torch, weights) or weights.dim() < 3:
                return 0
            length = int(weights.shape[-1])
            known = length in self._tokens or length + 1 in self._tokens
            return length if weights.shape[-2] == length and known else 0
        length = _size(call.argument(0, "query"), axis := 0 if call.name == LAYER else -2)
        return length if _size(call.argument(1, "key"), axis) == length else 0

    def _recur(self, call: Call) -> None:
        """A recurrent layer reads the places in one direction, or in both."""
        ran = ran_over(self.torch, call)
        if ran is None:
            return
        if ran.places == 1:
            self._given, self._tokens = [], {}
        elif not ran.both_ways:
            self._hidden.add(ran.places)
        elif ran.places not in self._open and ran.places != ran.samples and ran.places >= SHORT:
            tokens = next(
                (one for one in self._given if sorted(one.shape) == sorted((ran.samples, ran.places))), None
            )
            if tokens is not None:
                self._tokens[ran.places] = tokens if tokens.shape[1] == ran.places else tokens.T
                self._open[ran.places] = call.place()
                self._read[tuple(ran.output.shape)] = ran.places

    def _take(self, call: Call) -> None:
        """Half of the width of what was read is one of the directions."""
        given = call.args[0] if call.args else None
        shape = tuple(given.shape) if isinstance(given, self.torch.Tensor) else ()
        if self._read and shape in self._read:
            first = call.result[0] if isinstance(call.result, (tuple, list)) else call.result
            if getattr(first, "shape", (0,))[-1:] != shape[-1:]:
                self._hidden.add(self._read[shape])

    def _hides(self, call: Call, length: int) -> bool:
        """Whether it keeps any place from looking at the next."""
        if call.name == LAYER:
            causal, mask = call.argument(24, "is_causal"), call.argument(16, "attn_mask")
        elif call.name == PRODUCT:
            causal, mask = call.argument(5, "is_causal"), call.argument(3, "attn_mask")
        else:
            weights = call.result.detach().reshape(-1, length, length)[:64]
            return not bool((weights.diagonal(1, -2, -1) > 0).all())
        if causal or not _is_square(mask):
            return bool(causal)
        return not readable(self.torch, mask) or hides_next(mask, hidden=call.name == LAYER)

    def _judge(self, call: Call) -> None:
        """Are the labels the tokens of the next place, and of which sequence?"""
        read = [length for length in self._open if self._is_continued(call, length)]
        if not read:
            return
        # What is written may be what was read before: one of them is hidden, and the other is there to be looked at.
        # The last token needs not be read to write what comes after it.
        others = (length for length in self._hidden if length not in read)
        hidden = any({length, length - 1} & self._hidden for length in read) or any(
            self._is_continued(call, length) for length in others
        )
        self.say("model.sees_next_token", not hidden, place=self._open[read[0]])

    def _is_continued(self, call: Call, length: int) -> bool:
        """Whether the labels go on with the tokens of this length."""
        if length not in self._tokens or (length - 1 in self._open and length - 2 in self._open):
            return False  # what is read grows by a token at a time, and needs no mask
        if length in call.argument(0, "input").shape[1:2]:
            return False  # as many classes as places: what was taken for attention may be their probabilities
        return are_next(self.torch, call, self._tokens[length])


def _either_way(tokens: Any) -> list[Any]:
    """With a sample in each row, whichever axis holds the samples."""
    turned = [tokens, tokens.T] if tokens.shape[0] != tokens.shape[1] else [tokens]
    return [rows for rows in turned if rows.shape[1] >= SHORT]


def _size(tensor: Any, axis: int) -> int:
    return int(tensor.shape[axis]) if getattr(tensor, "ndim", 0) > 1 else 0


def _is_square(mask: Any) -> bool:
    """Whether a mask is another one for each place; one of padding is the same for all."""
    return _size(mask, -2) > 1
