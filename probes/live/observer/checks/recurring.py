"""Samples that come again with another label: from the second epoch on inputs and labels are shuffled apart."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..journal import Journal
from ..look.values import tensors_in
from .shuffled import are_shuffled
from .tensors import readable
from .turns import FIRST, Follower

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

ROWS, VALUES, TOKENS = 32, 24, 256
"""Samples of a batch that are remembered, and how many values, or whole numbers, of each they are known by."""

VARIED, WORDS = 4, 8
"""So many different values, or whole numbers, make a sample one of its kind: a word or a board may well come twice."""

SAMPLES = 4096
"""Samples that are remembered in all."""

ENOUGH, MANY, RECENT = 12, 48, 96
"""Samples that came again before their labels are said to be the same, and to be others; the last of them count."""

MOST = 0.35
"""The share of these whose label was another one."""

SURE = 256
"""Samples that came again after which nothing more is looked for."""

LABELS = 1024
"""Labels of a batch that are counted."""

NODES = 8
"""Nodes of a loss's graph that are searched for its labels."""

NONE = 0
"""How the node of a loss saves that it was not reduced."""


class Recurring(Follower):
    """Remembers some samples by their values, with the class that the loss compared them with.

    Only where nothing is changed in a sample does it come again. No labels in this sense are places, each as often as
    the others (of a contrastive loss, of the classes of an episode), what is given to another model, and what an
    agent chose: one sample with two labels in a batch, or a loss that is multiplied with rewards. A set that is one
    batch comes again in order. Labels that were shuffled are as many of each class as before, and those of one class
    no longer have one in common; labels that a model or a clustering makes anew do not keep to both.
    """

    name = "recurring samples"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._torch = watcher.torch
        self._labels: dict[int, int] = {}
        self._again: deque[tuple[int, int]] = deque(maxlen=RECENT)
        self._count = 0
        self._inputs: Any = None
        self._calls = 0
        self._cleared = False
        self._even = False
        self._last: tuple[list[int], list[int]] = ([], [])

    def model_found(self, model: ModelSeen) -> None:
        """Its classes may be others."""
        self._labels.clear()
        self._again.clear()

    def begin_turn(self) -> None:
        """No forward of this step was seen."""
        self._inputs, self._calls = None, 0

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The one call of this step has the samples."""
        step = self._watcher.step
        if root.training and not step % (2 if step < FIRST else 4):
            self._calls += 1
            self._inputs = (args, kwargs) if self._calls == 1 else None

    def before_backward(self, loss: torch.Tensor) -> None:
        """The graph has the labels."""
        inputs, self._inputs, self._calls = self._inputs, None, 0
        if inputs is None:
            return
        labels = labels_of(loss)
        if labels is None or labels.dim() != 1 or not labels.is_cpu:
            return
        tensors = list(tensors_in(self._torch.Tensor, inputs))
        if not tensors or any(not self._has_rows(one, len(labels)) for one in tensors):
            return
        plain = hash(tuple(one for one in (*inputs[0], *inputs[1].values()) if isinstance(one, (int, str))))
        last, self._even = self._even, _is_even(labels[:LABELS].tolist())
        if last and self._even:
            self._watcher.remove(self)
        else:
            self._remember([_rows(one) for one in tensors], labels[:ROWS].tolist(), plain)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A round is over."""
        self._inputs, self._calls = None, 0

    def _has_rows(self, tensor: Any, count: int) -> bool:
        return (
            readable(self._torch, tensor)
            and tensor.is_cpu
            and tensor.dim() > 1
            and len(tensor) == count
            and grad_fn_of(tensor) is None
        )

    def _remember(self, parts: list[list[Any]], labels: list[int], plain: int) -> None:
        keys = [hash((plain, *map(tuple, one))) for one in zip(*parts)]
        ambiguous = len(set(zip(keys, labels))) > len(set(keys))
        repeated, self._last = (keys, labels) == self._last, (keys, labels)
        if repeated or ambiguous or not all(map(_is_varied, parts[0][:4])):
            self._watcher.remove(self)
            return
        for key, label in zip(keys, labels):
            known = self._labels.get(key)
            if known is not None:
                self._again.append((known, label))
                self._count += 1
            if known is not None or len(self._labels) < SAMPLES:
                self._labels[key] = label
        if len(self._again) >= ENOUGH:
            self._judge()

    def _judge(self) -> None:
        count, changed = len(self._again), sum(old != new for old, new in self._again)
        shuffled = changed > MOST * count and count >= MANY and are_shuffled(self._again)
        if shuffled:
            note = f"{changed} of {count} samples that came again"
            self._journal.fact("data.labels.changed", True, note=note)
        elif not changed and not self._cleared:
            self._cleared = True
            self._journal.fact("data.labels.changed", False)
        if shuffled or self._count >= SURE:
            self._watcher.remove(self)


def _is_even(labels: list[int]) -> bool:
    """Whether each of several classes comes as often as the others."""
    counts = Counter(labels)
    return len(counts) > 1 and len(set(counts.values())) == 1


def _is_varied(values: list[Any]) -> bool:
    whole = all(isinstance(one, int) for one in values)
    return len(set(values)) >= (WORDS if whole else VARIED)


def labels_of(loss: Any) -> Any:
    """What a cross-entropy compares with, where one is the last thing that was computed; None where there are several.

    Nor where the loss of each sample was multiplied: with what an action brought, these are no labels but actions.
    """
    nodes, found, multiplied = [loss.grad_fn], [], False
    for _ in range(NODES):
        if not nodes:
            break
        node = nodes.pop()
        if node is None:
            continue
        if node.name().startswith("NllLossBackward"):
            found.append(node)
        else:
            multiplied = multiplied or node.name().startswith("MulBackward")
            nodes += [parent for parent, _ in node.next_functions]
    if len(found) != 1 or (multiplied and found[0]._saved_reduction == NONE):
        return None
    return found[0]._saved_target


def _rows(tensor: Any) -> list[Any]:
    """Values from all over each of the first samples."""
    rows = tensor.detach()[:ROWS].flatten(1)
    most = VALUES if tensor.is_floating_point() else TOKENS
    return rows[:, :: max(1, rows.shape[1] // most)].tolist()  # type: ignore[no-any-return]
