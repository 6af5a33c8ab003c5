"""The last line of a log whose writer was stopped in the middle of it: half a number is no number."""

from __future__ import annotations

from traindx.engine.regex import regex

from .template import shapes_of

NEAR = 2048
"""Bytes before the last line in which a whole line like it is looked for."""
_NUMBER = regex(rb"[-+]?\d[\d.,]*(?:[eE][-+]?\d*)?\Z")


def without_cut_number(line: bytes, before: bytes) -> bytes:
    """A last line that no line end closes, without the number at its end where a whole line shows that more would follow.

    `before` is what stands before it. Of `lr 3.00e-04` the first characters are `lr 3`, and a buffer that was never
    flushed ends anywhere.
    """
    number = _NUMBER.search(line)
    if number is None:
        return line
    shape = shapes_of(line)[0]
    for whole in reversed(before.splitlines()):
        of_whole = shapes_of(whole)[0]
        if shape == of_whole:
            last = _NUMBER.search(whole.rstrip())
            is_cut = last is not None and len(number[0]) < len(last[0])
            return line[: number.start()] if is_cut else line
        if shape and of_whole.startswith(shape):
            return line[: number.start()]
    return line
