"""Class labels as the loss gets them: ignored, out of range, constant, one class after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..loaders import iterator_below
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .runs_of_classes import ENOUGH, RunsOfClasses
from .tensors import arguments_in, readable

if TYPE_CHECKING:
    import torch

IGNORED = -100
"""torch's own `ignore_index`."""

LOSSES, EMBEDDING = ("cross_entropy", "nll_loss"), "embedding"

VARIED = 3
"""More different numbers than these are tokens, and no flags."""


class Labels(Check):
    """Counts the labels of cross_entropy and nll_loss in sampled steps (playbooks a14, b02, b03)."""

    name = "labels"
    early = 6
    functions = (*LOSSES, EMBEDDING)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._counts: dict[int, int] = {}
        self._runs = RunsOfClasses()
        self._calls: list[Any] = []
        self._low = self._high = self._classes = self._workers = 0
        self._given: Any = None
        self._embedded: list[Any] = []
        self._ahead: set[int] = set()
        """How many places ahead of the tokens that were looked up the labels of this step's losses lie."""

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """How many workers bring the batches of this loop."""
        iterator = iterator_below()
        if iterator is not None:
            self._workers = getattr(iterator, "_num_workers", 0)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The whole numbers that the model gets, where these are one sequence each: it may be given the labels, too."""
        numbers = [
            one
            for one in tensors_in(self.torch.Tensor, (args, kwargs))
            if readable(self.torch, one)
            and one.dtype in (self.torch.int64, self.torch.int32)
            and one.dim() == 2
        ]
        self._given = numbers[0].detach() if len(numbers) == 1 else None

    def called(self, call: Call) -> None:
        """A loss returned, or tokens were looked up."""
        if call.name == EMBEDDING:
            self._look_up(call.argument(0, "input"))
            return
        scores, target = call.argument(0, "input"), call.argument(1, "target")
        if not readable(self.torch, target) or target.is_floating_point() or not readable(self.torch, scores):
            return
        ignore = call.argument(4, "ignore_index", IGNORED)
        flat = target.detach().reshape(-1)
        kept = flat[flat != ignore]
        share = 1 - kept.numel() / flat.numel()
        self.say("data.labels.ignored_share", round(share, 2), call)
        self.say("data.labels.all_ignored", not kept.numel(), call)
        if kept.numel():
            self._range(call, kept, scores.shape[1] if scores.dim() > 1 else scores.shape[0])
            self._count(kept)
            self._compare(call, flat, flat != ignore)
            if target.dim() == 1:
                self._calls.append(kept)

    def _compare(self, call: Call, flat: Any, kept: Any) -> None:
        """Whether each place that counts is asked for the number that it was given. Many numbers hardly agree by chance."""
        self._measure(flat, kept)
        given = self._given if self._given is not None else self._of_decoder()
        if given is None or given.numel() != flat.numel() or given.device != flat.device:
            return
        if flat.numel() >= ENOUGH and _varies(flat):
            same = (given.reshape(-1) == flat) | ~kept
            self.say("data.labels.are_inputs", bool(same.all()), call)

    def _measure(self, flat: Any, kept: Any) -> None:
        """How far ahead the labels lie. Those that repeat themselves may lie so by chance, and are passed over."""
        tokens = self._embedded[-1] if self._embedded else None
        if (
            tokens is None
            or tokens.device != flat.device
            or flat.numel() % len(tokens)
            or flat.numel() < ENOUGH
        ):
            return
        rows, held = flat.reshape(len(tokens), -1), kept.reshape(len(tokens), -1)
        found = []
        for ahead in (1, 2):
            width = min(rows.shape[1], tokens.shape[1] - ahead)
            same = (rows[:, :width] == tokens[:, ahead : ahead + width]) | ~held[:, :width]
            if width > VARIED and bool(same.all()) and bool(held[:, :width].any()):
                found.append(ahead)
        if len(found) == 1:
            self._ahead.add(found[0])

    def _look_up(self, tokens: Any) -> None:
        """Sequences of numbers that an embedding turns into vectors. Places count up, and are no tokens."""
        sequences = readable(self.torch, tokens) and tokens.dim() == 2 and tokens.shape[1] > 1
        if sequences and _varies(tokens) and not bool((tokens[0, 1:] - tokens[0, :-1] == 1).all()):
            self._embedded = [*self._embedded[-1:], tokens.detach()]

    def _of_decoder(self) -> Any:
        """What was looked up last, behind another sequence. A copy of that one is an autoencoder's."""
        if len(self._embedded) < 2:
            return None
        source, tokens = self._embedded
        return None if source.shape == tokens.shape and bool((source == tokens).all()) else tokens

    def before_backward(self, loss: torch.Tensor) -> None:
        """One batch is complete. Several losses (real and fake, source and target) have labels of their own kind."""
        calls, self._calls, self._embedded = self._calls, [], []
        # Heads for several tokens at once have one for the next.
        if self._ahead:
            self.say("data.labels.two_ahead", self._ahead == {2})
        self._ahead = set()
        if len(calls) == 1:
            self._order(calls[0])

    def look_ended(self, step: int) -> None:
        """Nothing is kept between looks."""
        self._calls.clear()
        self._given, self._embedded = None, []

    def failed(self, error: BaseException) -> None:
        """A label or id out of range raises: it is still in the frames of the traceback."""
        for names in arguments_in(error, LOSSES):
            self._in_frame(names)
        for names in arguments_in(error, (EMBEDDING,)):
            self._looked_up(names.get("input"), names.get("weight"))

    def _looked_up(self, ids: Any, weight: Any) -> None:
        """The ids of a lookup that failed. After an assertion of the device nothing can be read."""
        if readable(self.torch, ids) and readable(self.torch, weight) and ids.device.type == "cpu":
            self.say("data.ids.min", int(ids.min()))
            self.say("data.ids.max", int(ids.max()))
            self.say("model.embedding_rows", len(weight))

    def _in_frame(self, names: Any) -> None:
        scores, target = names.get("input"), names.get("target")
        if readable(self.torch, scores) and readable(self.torch, target) and not target.is_floating_point():
            if target.device.type != "cpu":
                return  # after an assertion of the device nothing can be read
            kept = target[target != names.get("ignore_index", IGNORED)]
            if kept.numel():
                self._range(None, kept, scores.shape[1] if scores.dim() > 1 else scores.shape[0])

    def _range(self, call: Call | None, kept: Any, classes: int) -> None:
        low, high = int(kept.min()), int(kept.max())
        self._low, self._high = min(low, self._low), max(high, self._high)
        self.say(
            "data.labels.out_of_range",
            low < 0 or high >= classes,
            call,
            note=f"{low} .. {high} of {classes} classes",
        )
        self.say("data.labels.min", self._low)
        self.say("data.labels.max", self._high)
        self.say("model.classes", classes)
        self._classes = classes

    def _count(self, kept: Any) -> None:
        values, counts = self.torch.unique(kept[:100_000], return_counts=True)
        for value, count in zip(values.tolist()[:1000], counts.tolist()):
            self._counts[value] = self._counts.get(value, 0) + count
        total = sum(self._counts.values())
        if total >= ENOUGH:
            self.say("data.largest_class_share", round(max(self._counts.values()) / total, 2))

    def _order(self, kept: Any) -> None:
        """Batches of one class each, or of two with the one after the other: a set sorted by class, not shuffled."""
        self._runs.add(kept, self.watcher.step, self._classes)
        in_runs = self._runs.are_sorted(self._workers)
        if in_runs is None:
            return
        if self._runs.jump() and not in_runs:
            self.retract("data.labels.sorted")
        self.say("data.labels.sorted", in_runs)


def _varies(tokens: Any) -> bool:
    return len(tokens.reshape(-1)[:ENOUGH].unique()) > VARIED
