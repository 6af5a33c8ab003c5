"""Masks and boxes that are prepared wrong, and axes of single samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import Dataset

from tests.live.checking import checked
from tests.live.pictures import Pictures, epochs


class Masks(Dataset[Any]):
    """Pictures and their masks of class numbers."""

    def __init__(self, turn: Callable[[Any], Any]) -> None:
        self.turn = turn

    def __len__(self) -> int:
        return 32

    def __getitem__(self, place: int) -> Any:
        mask = torch.randint(0, 4, (8, 8), dtype=torch.uint8)
        return torch.rand(3, 8, 8), self.turn(mask)


@pytest.mark.parametrize(
    ("turn", "cut"),
    [
        (lambda mask: (mask.float() / 255).long(), True),
        (lambda mask: mask.div(255).to(torch.int64), True),
        (lambda mask: mask.float().long(), None),
        (lambda mask: (mask.float() / 255 * 255).round().long(), None),
    ],
)
def test_class_numbers_that_were_scaled_and_cut_are_seen(turn: Any, cut: bool | None) -> None:
    said = epochs(Masks(turn), nn.Conv2d(3, 4, 1))
    assert said.facts.get("data.fractions_cut_to_zero") is cut
    assert (said["data.labels.max"] == 0) is (cut is True)


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        (lambda x: x.reshape(3, 6, 5), True),
        (lambda x: x.div(2).view(3, 6, 5).contiguous(), True),
        (lambda x: x.permute(2, 0, 1), None),
        (lambda x: x.permute(2, 0, 1).reshape(3, 30).view(3, 6, 5), None),
    ],
)
def test_axes_of_a_sample_that_change_places_by_a_reshape_are_seen(turn: Any, told: bool | None) -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(48, 4))
    said = epochs(Pictures(turn, shape=(6, 5, 3)), model)
    assert said.facts.get("data.axes_swapped_by_reshape") is told


def box_areas(boxes: Any, style: str) -> Any:
    """Their areas, if they are two corners."""
    if style == "slices":
        return (boxes[:, 2:] - boxes[:, :2]).prod(1)
    if style == "picked":
        sides = (boxes[:, 2:] - boxes[:, :2]).clamp(min=0)
        return sides[:, 0] * sides[:, 1]
    if style == "columns":
        return (boxes[:, 2] - boxes[:, 0]) * (boxes[..., 3] - boxes[..., 1])
    left, top, right, bottom = boxes.unbind(-1)
    return (right - left) * (bottom - top)


def centred(count: int) -> Any:
    return torch.cat([0.3 + 0.4 * torch.rand(count, 2), 0.1 + 0.2 * torch.rand(count, 2)], 1)


def corners(boxes: Any) -> Any:
    return torch.cat([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1)


@pytest.mark.parametrize("style", ["slices", "picked", "columns", "unbound"])
@pytest.mark.parametrize(("turn", "told"), [(lambda boxes: boxes, True), (corners, False)])
def test_boxes_that_are_no_two_corners_are_seen(style: str, turn: Any, told: bool) -> None:
    model = nn.Linear(8, 4)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            boxes = turn(centred(16))
            optimizer.zero_grad()
            guess = model(torch.randn(16, 8))
            # What the network gives may have any corners.
            (box_areas(guess, style) - box_areas(boxes, style)).square().mean().backward()
            optimizer.step()
    assert said["data.boxes_negative_extent"] is told


def test_a_line_from_one_end_to_the_other_has_no_area() -> None:
    model = nn.Linear(8, 4)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            lines = torch.rand(16, 4)
            way = lines[:, 2:] - lines[:, :2]
            optimizer.zero_grad()
            (model(torch.randn(16, 8)) - torch.cat([way, way.abs()], 1)).square().mean().backward()
            optimizer.step()
    assert "data.boxes_negative_extent" not in said.facts


@pytest.mark.parametrize("detached", [True, False])
def test_boxes_of_a_network_that_leave_their_graph_are_no_data(detached: bool) -> None:
    model = nn.Linear(8, 4)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            optimizer.zero_grad()
            guess = model(torch.randn(16, 8))
            with torch.set_grad_enabled(detached):
                area = box_areas(guess.detach() if detached else guess * 2, "columns")
            (guess.square().sum(1) - area.detach()).square().mean().backward()
            optimizer.step()
    assert "data.boxes_negative_extent" not in said.facts
