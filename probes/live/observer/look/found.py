"""What a look found, and the facts that it makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from .backward import BackwardFound
from .places import Place
from .source import Source

if TYPE_CHECKING:
    from .operations import Operations


@dataclass
class Found:
    """The first non-finite value of a step.

    `direction`: `forward`, `backward`, or `` where no operation made it; `source`: as in Source.what.
    `operation`: as the script calls it, or the node of the graph in a backward pass; `node`: the node, for both.
    """

    direction: str
    source: str
    value: str
    operation: str = ""
    node: str = ""
    place: Place = field(default_factory=Place)
    operands: list[dict[str, Any]] = field(default_factory=list)
    dtype: str = ""
    fully_masked: bool | None = None
    of_nothing: bool | None = None


def from_source(source: Source) -> Found:
    """A non-finite value in the forward pass."""
    direction = "forward" if source.what == "operation" else ""
    return Found(
        direction,
        source.what,
        source.value,
        source.name.strip("."),
        source.node,
        source.place,
        source.operands,
        source.dtype,
        source.fully_masked,
        source.of_nothing,
    )


def from_backward(found: BackwardFound | None, seen: Operations) -> Found | None:
    """A non-finite gradient from finite ones; or NaN of the forward pass, which a mask kept out of the loss and not out of its gradients."""
    if found is None:
        return None
    hidden = seen.source_of_node(found.number)
    if hidden is not None and found.maker is None:
        return from_source(hidden)
    dtype = str(found.incoming[0]["dtype"]) if found.incoming else ""
    name, number = found.maker or (found.node, found.number)
    place = seen.place_of_node(number)
    return Found("backward", "operation", found.value, name, found.node, place, found.incoming, dtype)


def write_facts(journal: Journal, found: Found, step: int) -> None:
    """The facts of what was found, and one event in words for the timeline."""
    place = found.place

    def fact(name: str, value: Any, note: str | None = None) -> None:
        journal.fact(name, value, step=step, file=place.file or None, line=place.line or None, note=note)

    if found.source == "operation":
        _operation_facts(found, fact)
    elif found.source == "parameter":
        fact("model.weights_nonfinite", True, f"first seen in {found.operation}")
    elif found.source == "batch":
        fact("data.nonfinite_where", found.operation)
    journal.record("event", what=in_words(found), step=step)


def _operation_facts(found: Found, fact: Callable[..., None]) -> None:
    place = found.place
    fact("act.nonfinite_op", found.operation, _operands_in_words(found))
    fact("act.nonfinite_direction", found.direction)
    fact("act.nonfinite_is_inf", found.value == "inf")
    if found.direction == "backward":
        fact("grad.nonfinite_op", found.node)
    if found.node:
        fact("test.anomaly_names_op", found.node)
    if place.file:
        fact("act.nonfinite_line", str(place))
    if place.module:
        fact("act.nonfinite_module", place.module, " in ".join(place.modules))
    if place.module_class:
        fact("act.nonfinite_class", place.module_class)
    if found.dtype:
        fact("act.nonfinite_dtype", found.dtype)
    if found.fully_masked is not None:
        fact("act.fully_masked_row", found.fully_masked)
    if found.of_nothing is not None:
        fact("act.mean_of_nothing", found.of_nothing)
    # Whole numbers are labels and indices here: their range says nothing of overflow.
    numbers = [one for one in found.operands if "min" in one and "int" not in one["dtype"]]
    least = [one["min"] for one in numbers]
    most = [one["max"] for one in numbers]
    if least and most and found.direction == "forward":
        fact("act.nonfinite_input_min", min(least))
        fact("act.nonfinite_input_max", max(most))
        fact("act.input_max_abs", max(abs(min(least)), abs(max(most))))


def in_words(found: Found) -> str:
    """One line for the timeline."""
    value = "NaN" if found.value == "nan" else "Inf"
    if found.source == "parameter":
        return f"{value} comes from the parameter {found.operation}, which holds it already"
    if found.source == "batch":
        return f"{value} comes from the batch: {found.operation}"
    if found.source != "operation":
        return f"{value} comes from a tensor that was made outside the step"
    where = f" in {found.place.module}" if found.place.module else ""
    line = f" at {found.place}" if found.place.file else ""
    how = "the backward of" if found.direction == "backward" else "the operation"
    return f"{value} comes first from {how} {found.operation}{where}{line}"


def _operands_in_words(found: Found) -> str | None:
    parts = []
    for one in found.operands[:4]:
        text = f"{one['dtype']}{one['shape']}"
        if "min" in one:
            text += f" from {one['min']:.4g} to {one['max']:.4g}"
        parts.append(text)
    return (
        ("its operands: " if found.direction == "forward" else "gradients that came in: ") + "; ".join(parts)
        if parts
        else None
    )
