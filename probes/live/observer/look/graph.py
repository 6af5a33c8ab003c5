"""What the graph of a loss tells by itself about the first non-finite value in it.

A graph keeps, until its backward pass, some operands and results of its operations. So it can be asked at once, in
the step that failed, and needs no further step; but it knows no line and no module, and not every value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .backward import nodes_of
from .empties import averages_nothing_at
from .found import Found
from .values import nonfinite, statistics

if TYPE_CHECKING:
    import torch

RESULTS = ("result", "output", "out", "result0", "values")
"""What nodes call the saved result of their own operation."""

UNARY = frozenset(
    [
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "exp",
        "expm1",
        "acos",
        "asin",
        "atanh",
        "acosh",
        "erfinv",
        "tan",
        "sinh",
        "cosh",
        "lgamma",
    ]
)
"""Operations on one tensor that can leave the finite numbers, by the name of their node without `Backward0`."""


def source_in_graph(
    torch: Any, loss: torch.Tensor, names: Mapping[int, tuple[str, str]], kept: Callable[[Any], bool]
) -> Found | None:
    """The earliest operation known to have given NaN or Inf from finite operands, or a leaf that holds it.

    `kept` tells of a saved tensor whether it may be asked for.
    """
    for node in sorted(nodes_of(loss), key=_order):
        variable = getattr(node, "variable", None)
        if variable is not None:
            bad = nonfinite(torch, variable)
            if bad:
                what, name = names.get(id(variable), ("outside", ""))
                return Found("", what, bad, operation=name)
            continue
        saved = _saved(torch, node, kept)
        found = _of_nothing(torch, node, saved, loss, kept) or _at(torch, node, saved)
        if found is not None:
            return found
    return _last(torch, loss, kept)


def _last(torch: Any, loss: torch.Tensor, kept: Callable[[Any], bool]) -> Found | None:
    """The operation that made the loss itself, where all that it keeps is finite."""
    saved = _saved(torch, loss.grad_fn, kept)
    bad = nonfinite(torch, loss)
    if not saved or not bad or any(nonfinite(torch, one) for one in saved.values()):
        return None
    name = loss.grad_fn.name() if loss.grad_fn is not None else ""
    known = [statistics(torch, one) for one in saved.values()]
    return Found("forward", "operation", bad, plain_name(name), name, operands=known, dtype=_dtype(loss))


def _of_nothing(
    torch: Any, node: Any, saved: dict[str, torch.Tensor], loss: torch.Tensor, kept: Callable[[Any], bool]
) -> Found | None:
    """A mean of nothing, in the graph of a loss that is NaN; zero by zero is no infinity."""
    operation = plain_name(node.name())
    if nonfinite(torch, loss) != "nan":
        return None
    if not averages_nothing_at(node, operation, saved, lambda one: _saved(torch, one, kept)):
        return None
    known = [statistics(torch, one) for one in saved.values()]
    return Found(
        "forward",
        "operation",
        "nan",
        operation,
        node.name(),
        operands=known,
        dtype=_dtype(loss),
        of_nothing=True,
    )


def _order(node: Any) -> int:
    """Leaves first, then in the order in which the operations ran."""
    return -1 if hasattr(node, "variable") else int(node._sequence_nr())


def _at(torch: Any, node: Any, saved: dict[str, torch.Tensor]) -> Found | None:
    """What the tensors that one node keeps say: an operand is non-finite already, or the result is."""
    name = node.name()
    operands = {key: one for key, one in saved.items() if key not in RESULTS}
    for key, one in operands.items():
        bad = nonfinite(torch, one)
        if bad == "nan" or (bad and not _is_mask(one, node)):
            return _of_operand(node, key, bad)
    results = [one for key, one in saved.items() if key in RESULTS] + _again(torch, node, saved)
    for one in results:
        bad = nonfinite(torch, one)
        if bad:
            known = [statistics(torch, operand) for operand in operands.values()]
            return Found(
                "forward", "operation", bad, plain_name(name), name, operands=known, dtype=_dtype(one)
            )
    return None


def _is_mask(tensor: torch.Tensor, node: Any) -> bool:
    """An infinity in what needs no gradient, or goes into a softmax, may be meant."""
    return not tensor.requires_grad or "oftmax" in node.name()


def _of_operand(node: Any, key: str, bad: str) -> Found | None:
    """A non-finite operand: of the node that made it, or of something outside the graph."""
    at = 1 if key in ("other", "mat2", "weight", "target", "exponent") else 0
    following = node.next_functions[at][0] if at < len(node.next_functions) else None
    if following is None or hasattr(following, "variable"):
        return Found("", "outside", bad, operation=plain_name(node.name()))
    return Found("forward", "operation", bad, plain_name(following.name()), following.name())


def _again(torch: Any, node: Any, saved: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
    """The result of an operation that keeps only its operands, computed again."""
    operation = plain_name(node.name())
    own, other = saved.get("self"), saved.get("other")
    exponent = getattr(node, "_saved_exponent", None)
    with torch.no_grad():
        if operation in UNARY and own is not None:
            function: Callable[..., torch.Tensor] = getattr(torch, operation)
            return [function(own.detach())]
        if operation == "div" and other is not None:
            return [(own.detach() if own is not None else torch.ones_like(other)) / other.detach()]
        # What overflows in half precision is mostly a product, which keeps both factors.
        if operation == "mul" and own is not None and other is not None:
            return [own.detach() * other.detach()]
        if operation == "pow" and own is not None and isinstance(exponent, (int, float)):
            return [own.detach() ** exponent]
    return []


def _saved(torch: Any, node: Any, kept: Callable[[Any], bool]) -> dict[str, torch.Tensor]:
    """The tensors that a node keeps, by name. Those that a checkpoint would have to compute again are left alone."""
    found = {}
    for key in dir(node):
        if key.startswith("_raw_saved_"):
            raw = getattr(node, key)
            if raw is None or not kept(raw):
                continue
            value = getattr(node, key.replace("_raw", "", 1))
            if isinstance(value, torch.Tensor):
                found[key[len("_raw_saved_") :]] = value
    return found


def plain_name(node: str) -> str:
    """`LogSoftmaxBackward0` as `log_softmax`."""
    head = node.split("Backward")[0].rpartition("::")[2]
    parts = "".join("_" + one.lower() if one.isupper() else one for one in head).strip("_")
    return parts or node


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).replace("torch.", "")
