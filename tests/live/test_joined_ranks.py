"""What ranks say of each other: under Join, and past the wrapper that averages gradients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP

from tests.live.checking import checked, mlp, numbers


@pytest.fixture
def group(tmp_path: Path) -> Iterator[None]:
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("joined", [True, False], ids=["joined", "alone"])
def test_ranks_say_nothing_of_what_they_hold_once_they_join_again(
    joined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = DDP(mlp(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for _ in range(3):
            with Join([model], enable=joined):
                for _ in range(4):
                    inputs, targets = numbers()
                    optimizer.zero_grad()
                    (model(inputs) - targets).pow(2).mean().backward()
                    monkeypatch.setattr(dist, "get_world_size", lambda: 2)
                    optimizer.step()
                    monkeypatch.undo()
    compared = [record["step"] for record in said.records("checksum")]
    assert compared == ([2, 3, 4] if joined else [2, 3, 4, 5, 6, 7, 10])


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("past", [True, False], ids=["past the wrapper", "through the wrapper"])
def test_gradients_that_the_wrapper_never_averages_are_told(
    past: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = DDP(mlp(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for _ in range(8):
            inputs, targets = numbers()
            optimizer.zero_grad()
            outputs = model.module(inputs) if past else model(inputs)
            (outputs - targets).pow(2).mean().backward()
            monkeypatch.setattr(dist, "get_world_size", lambda: 2)
            optimizer.step()
            monkeypatch.undo()
    assert ("dist.wrapper_bypassed" in said.facts) is past


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("numbers_given", [8, 80], ids=["too few to tell", "enough"])
def test_what_the_wrapper_is_given_is_told_in_one_number(
    numbers_given: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = DDP(mlp(8, 1))
    # One rank alone stands for two: only what it says of itself is asked for.
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for _ in range(8):
            optimizer.zero_grad()
            inputs = torch.randn(numbers_given // 8, 8)
            monkeypatch.setattr("tests.live.test_joined_ranks.dist.get_world_size", lambda *_: 2)
            monkeypatch.setattr(type(dist.group.WORLD), "size", lambda _: 2)
            outputs = model(inputs)
            monkeypatch.undo()
            outputs.pow(2).mean().backward()
            monkeypatch.setattr(dist, "get_world_size", lambda: 2)
            optimizer.step()
            monkeypatch.undo()
    given = [record.get("given") for record in said.records("checksum")]
    assert len(set(given)) == (1 if numbers_given < 16 else len(given))
    assert (None in given) is (numbers_given < 16)
