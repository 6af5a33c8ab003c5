"""For a script that stops at its first NaN, so that no further step can be looked at.

Its loss is still in the frames of the error; and the line of an operation that the graph names is the one line
of the script's own files that calls it, if there is only one.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from .found import Found
from .places import Place
from .values import nonfinite

if TYPE_CHECKING:
    import torch

FILES = 40
"""Files of the script that are searched."""

SIGNS = {"div": ast.Div, "pow": ast.Pow, "mm": ast.MatMult, "bmm": ast.MatMult}
"""Operators that call an operation without its name."""

NOT_TORCH = frozenset(["math", "cmath", "np", "numpy", "logging", "logger", "wandb"])
"""What has functions of the same names, on plain numbers or for messages."""

CALLED = {"nll_loss": "cross_entropy", "nll_loss2d": "cross_entropy", "log_softmax": "cross_entropy"}
"""Functions of which a graph names only a part."""


def loss_in_frames(torch: Any, error: BaseException) -> torch.Tensor | None:
    """A non-finite number with a graph among the local variables where the error passed, innermost first."""
    frames = []
    step = error.__traceback__
    while step is not None:
        frames.append(step.tb_frame)
        step = step.tb_next
    values = (value for frame in reversed(frames) for value in list(frame.f_locals.values()))
    losses: Iterator[torch.Tensor] = (one for one in values if _may_be_loss(torch, one))
    return next((one for one in losses if nonfinite(torch, one)), None)


def _may_be_loss(torch: Any, value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() == 1 and grad_fn_of(value) is not None


def named_by_source(torch: Any, found: Found) -> Found:
    """The same, with the line that calls the operation where only one line does."""
    if found.source != "operation" or found.place.file:
        return found
    places = [place for file in _own_files(torch) for place in _calls(file, found.operation)]
    return dataclasses.replace(found, place=places[0]) if len(places) == 1 else found


def _own_files(torch: Any) -> Iterator[str]:
    """Files of modules that lie beside the script, or below it: no installed library."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    folder = os.path.dirname(os.path.abspath(main)) if main else os.getcwd()
    names = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = {os.path.abspath(name) for name in names if isinstance(name, str) and name.endswith(".py")}
    if main:
        files.add(os.path.abspath(main))
    own = (one for one in files if one.startswith(folder + os.sep) and "site-packages" not in one)
    yield from sorted(own)[:FILES]


def _calls(file: str, operation: str) -> Iterator[Place]:
    """The lines of a file that call this operation."""
    try:
        with open(file, encoding="utf-8") as lines:
            tree = ast.parse(lines.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    found = {
        node.lineno for node in ast.walk(tree) if isinstance(node, ast.expr) and _is_call(node, operation)
    }
    for line in sorted(found):
        yield Place(file=file, line=line)


def _is_call(node: ast.AST, operation: str) -> bool:
    if isinstance(node, ast.BinOp):
        sign = SIGNS.get(operation)
        return sign is not None and isinstance(node.op, sign)
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    on = getattr(getattr(node.func, "value", None), "id", "")
    text_first = bool(node.args) and isinstance(node.args[0], (ast.Dict, ast.JoinedStr, ast.Constant))
    called = {operation, CALLED.get(operation, operation)}
    return bool(name) and name.rstrip("_") in called and on not in NOT_TORCH and not text_first
