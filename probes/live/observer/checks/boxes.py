"""Boxes of the data that are taken for two corners, and are a centre or a corner and an extent."""

from __future__ import annotations

from typing import Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import readable

FEWEST, SHARE = 8, 0.1
"""Boxes, and the share of them that would have a negative extent. A few degenerate ones are another matter."""

LOW, HIGH = "low", "high"
"""The first corner of a box, and the second."""

MOST = 512
"""Parts of boxes that are remembered in one look."""


class Boxes(Check):
    """Looks for areas of boxes of the data, second corner minus first, whose sides are negative for many of them.

    Four numbers may be two corners, or a centre and an extent, and the arithmetic takes both. What is computed from them, an
    overlap of 0 or far beyond 1, is no error. A line has two ends, and a move a start and a goal: these have no area. Boxes that a network gives may have any corners at first: only those count that no
    graph leads to, and that were not computed from such.
    """

    name = "boxes"
    early = 3
    functions = ("__getitem__", "unbind", "split", "chunk", "sub", "clamp", "clamp_", "mul", "prod", "detach")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._parts: dict[int, tuple[Any, Any, tuple[str, int]]] = {}
        """Of each part the part itself, the boxes, which corner it is, and the axis (both: 2)."""
        self._sides: dict[int, tuple[Any, Any, int, float]] = {}
        """Of each difference of two corners itself, the boxes, the axis, and which share of it is negative."""
        self._given_away = False
        """Whether boxes of the network left their graph in this look: they look like data from there on."""

    def look_began(self, step: int) -> None:
        """Nothing was taken apart yet."""
        self._parts, self._sides, self._given_away = {}, {}, False

    def look_ended(self, step: int) -> None:
        """Nothing is kept between looks."""
        self._parts, self._sides = {}, {}

    def called(self, call: Call) -> None:
        """Boxes are taken apart, or two parts of them are subtracted."""
        given = call.argument(0, "input")
        if call.name == "detach":
            self._given_away = self._given_away or grad_fn_of(given) is not None
        elif self._given_away or not self.torch.is_grad_enabled():
            return
        elif call.name == "sub":
            self._subtracted(call.result, given, call.argument(1, "other"))
        elif (side := self._sides.get(id(given))) is not None:
            self._goes_on(call, side)
        elif readable(self.torch, given) and given.dim() >= 2 and given.shape[-1] == 4:
            if not given.is_floating_point() or grad_fn_of(given) is not None or given.requires_grad:
                return
            if call.name == "__getitem__":
                self._keep(call.result, given, _part(call.argument(1, "key"), given.dim()))
            elif isinstance(call.result, (list, tuple)) and call.result:
                self._keep_all(call.result, given)

    def _keep_all(self, parts: Any, boxes: Any) -> None:
        """What `unbind`, `split` and `chunk` give along the last axis: four numbers each, or twice two."""
        width = 2 if parts[0].dim() == boxes.dim() and parts[0].shape[-1] == 2 else 1
        if len(parts) * width != 4 or (parts[0].dim() == boxes.dim() and parts[0].shape[-1] != width):
            return
        if parts[0].shape[: boxes.dim() - 1] != boxes.shape[:-1]:
            return
        for place, part in enumerate(parts):
            corner = (LOW, HIGH)[place // 2] if width == 1 else (LOW, HIGH)[place]
            self._keep(part, boxes, (corner, place % 2 if width == 1 else 2))

    def _keep(self, part: Any, boxes: Any, known: tuple[str, int] | None) -> None:
        if known is not None and len(self._parts) < MOST:
            self._parts[id(part)] = (part, boxes, known)

    def _subtracted(self, extents: Any, one: Any, other: Any) -> None:
        first, second = self._parts.get(id(one)), self._parts.get(id(other))
        if first is None or second is None or first[1] is not second[1]:
            return
        (_, boxes, (corner, axis)), (_, _, (taken, along)) = first, second
        if corner != HIGH or taken != LOW or axis != along or boxes.numel() < 4 * FEWEST:
            return
        share = float((extents < 0).float().mean())
        self._sides[id(extents)] = (extents, boxes, axis, share)

    def _goes_on(self, call: Call, side: tuple[Any, Any, int, float]) -> None:
        """A side is cut off at zero, picked out of two, or becomes part of an area."""
        _, boxes, axis, share = side
        if call.name.startswith("clamp"):
            self._sides[id(call.result)] = (call.result, boxes, axis, share)
        elif call.name == "__getitem__" and axis == 2:
            key = call.argument(1, "key")
            last = key[-1] if isinstance(key, tuple) and key else None
            if type(last) is int:
                self._sides[id(call.result)] = (call.result, boxes, last % 2, share)
        elif call.name == "prod":
            self._area(call, share if axis == 2 else None)
        elif call.name == "mul":
            other = self._sides.get(id(call.argument(1, "other")))
            if other is not None and other[1] is boxes and {axis, other[2]} == {0, 1}:
                self._area(call, max(share, other[3]))

    def _area(self, call: Call, share: float | None) -> None:
        if share is not None:
            self.say("data.boxes_negative_extent", share >= SHARE, call, note=f"{share:.0%} of the sides")


def _part(key: Any, dimensions: int) -> tuple[str, int] | None:
    """Which corner, and which of its numbers, `boxes[key]` is. A list of places picks a copy, as a slice does."""
    keys = key if isinstance(key, tuple) else (key,)
    # Before the last axis all is taken.
    if len(keys) < 2 or any(one is not Ellipsis and one != slice(None) for one in keys[:-1]):
        return None
    if Ellipsis not in keys[:-1] and len(keys) != dimensions:
        return None
    last = keys[-1]
    if type(last) is int:
        place = last % 4
        return ((LOW, HIGH)[place // 2], place % 2) if -4 <= last < 4 else None
    if isinstance(last, slice) and last.step in (None, 1):
        return {(0, 2): (LOW, 2), (2, 4): (HIGH, 2)}.get(last.indices(4)[:2])
    return None
