"""What a batch holds: keys, shapes, dtypes, devices, ranges, NaN and Inf, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .look.values import nonfinite, statistics, tensors_in

if TYPE_CHECKING:
    import torch

LABELS = frozenset(
    [
        "label",
        "labels",
        "label_ids",
        "target",
        "targets",
        "tgt",
        "y",
        "gt",
        "ground_truth",
        "answer",
        "class_labels",
        "lm_labels",
    ]
)
"""What batches call that which the loss compares with."""

IGNORED = -100
"""The label that the losses of torch leave out unless told otherwise."""

SHOWN = 8
"""How many samples are named."""


@dataclass(eq=False)
class Entry:
    """One tensor of a batch: its key (`0`, `pixel_values`) and whether it is a label. Entries of several calls share keys."""

    key: str
    is_label: bool
    tensor: torch.Tensor


def entries(torch: Any, batch: Any, arguments: Any) -> list[Entry]:
    """The tensors of a batch. Where no loader gave one, the arguments of the model's call stand for it.

    In a pair without keys the labels are what the model is not given, or else the last.
    """
    if batch is None:
        args, kwargs = arguments if isinstance(arguments, tuple) and len(arguments) == 2 else ((), {})
        batch = {**{str(number): one for number, one in enumerate(args)}, **kwargs}
    if isinstance(batch, Mapping):
        return [
            Entry(str(key), str(key).lower() in LABELS, one)
            for key, value in batch.items()
            for one in tensors_in(torch.Tensor, value)
        ]
    parts = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if len(parts) == 2 and isinstance(parts[0], Mapping):
        return [*entries(torch, parts[0], None), *_labelled(torch, parts[1:], {0})]
    given = {one.data_ptr() for one in tensors_in(torch.Tensor, arguments) if not one.is_sparse}
    last = {len(parts) - 1} if len(parts) > 1 else set()
    not_given = {
        number
        for number, part in enumerate(parts)
        if not any(one.data_ptr() in given for one in tensors_in(torch.Tensor, part))
    }
    return _labelled(torch, parts, not_given if 0 < len(not_given) < len(parts) else last)


def _labelled(torch: Any, parts: list[Any], labels: set[int]) -> list[Entry]:
    return [
        Entry(str(number), number in labels, one)
        for number, part in enumerate(parts)
        for one in tensors_in(torch.Tensor, part)
    ]


def describe(torch: Any, entry: Entry) -> dict[str, Any]:
    """Key, role, shape, dtype, device, range; of labels also how many there are of each and how many are ignored."""
    tensor = entry.tensor
    known: dict[str, Any] = {
        "key": entry.key,
        "role": "labels" if entry.is_label else "inputs",
        "device": str(tensor.device),
    }
    known.update(statistics(torch, tensor))
    if entry.is_label and is_whole(tensor) and tensor.numel():
        kept = tensor.detach()[tensor.detach() != IGNORED]
        known["ignored_share"] = 1 - kept.numel() / tensor.numel()
        for key in ("min", "max", "mean"):
            known.pop(key, None)
        if kept.numel():
            known["min"], known["max"] = int(kept.min()), int(kept.max())
            values, counts = torch.unique(kept, return_counts=True)
            if len(values) <= 32:
                known["distribution"] = {str(a): b for a, b in zip(values.tolist(), counts.tolist())}
    return known


def is_whole(tensor: torch.Tensor) -> bool:
    """Whether it holds whole numbers."""
    return not (tensor.is_floating_point() or tensor.is_complex())


def bad_samples(torch: Any, tensor: torch.Tensor) -> list[int]:
    """The places along the first dimension that hold NaN or Inf."""
    if not tensor.dim():
        return []
    bad = ~torch.isfinite(tensor.detach()).reshape(tensor.shape[0], -1).all(dim=1)
    found: list[int] = bad.nonzero().flatten().tolist()
    return found


def write_facts(
    torch: Any, journal: Journal, known: list[Entry], step: int, indices: list[int] | None = None
) -> None:
    """Say whether this batch holds NaN or Inf, and where. Waits for the device."""
    bad = [one for one in known if nonfinite(torch, one.tensor)]
    for role, is_label in (("inputs", False), ("labels", True)):
        of_role = [one for one in known if one.is_label is is_label]
        if of_role:
            journal.fact(f"data.{role}.nonfinite", any(one in bad for one in of_role), step=step)
    for one in bad[:1]:
        journal.fact("data.nonfinite_where", _where(torch, one, step, indices), step=step)


def write_labels(journal: Journal, described: list[dict[str, Any]], step: int) -> None:
    """Say what the labels of one batch are, as `describe` found them."""
    labels = [one for one in described if "ignored_share" in one]
    for one in labels[:1]:
        journal.fact("data.labels.ignored_share", one["ignored_share"], step=step)
        journal.fact("data.labels.all_ignored", one["ignored_share"] == 1.0, step=step)
        if "min" in one:
            journal.fact("data.labels.min", one["min"], step=step)
            journal.fact("data.labels.max", one["max"], step=step)


def _where(torch: Any, entry: Entry, step: int, indices: list[int] | None) -> str:
    samples = bad_samples(torch, entry.tensor)
    text = f"step {step}, key {entry.key}, {len(samples)} of {len(entry.tensor) if entry.tensor.dim() else 1} samples"
    if samples:
        text += ": " + ", ".join(map(str, samples[:SHOWN]))
    if indices and len(indices) == (len(entry.tensor) if entry.tensor.dim() else -1):
        text += "; in the data set " + ", ".join(str(indices[one]) for one in samples[:SHOWN])
    return text


def chosen(torch: Any, candidates: list[Any], arguments: Any) -> Any:
    """Of the batches loaded last the one that the model was given (a loader may be one ahead), else the last."""
    given = {one.data_ptr() for one in tensors_in(torch.Tensor, arguments) if not one.is_sparse}
    for batch in candidates:
        if any(one.data_ptr() in given for one in tensors_in(torch.Tensor, batch)):
            return batch
    return candidates[-1] if candidates else None
