from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from traindx.engine.facts import Value
from traindx.engine.probe import Findings
from traindx.probes.checkpoint import CheckpointProbe
from traindx.probes.checkpoint.contents import Unreadable
from traindx.probes.checkpoint.symbols import follow
from traindx.probes.discover import discover


class Read:
    """What the probe said of a path."""

    def __init__(self, path: Path) -> None:
        self.findings: Findings = CheckpointProbe(discover([path]).inputs).run()
        self.facts: dict[str, Value] = {fact.name: fact.value for fact in self.findings.facts}

    def __getitem__(self, name: str) -> Value | None:
        return self.facts.get(f"checkpoint.{name}")

    @property
    def note(self) -> str:
        return self.findings.inputs[0].note


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))


def training_state(step: int = 100) -> dict[str, Any]:
    model = net()
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(1, 4)).sum().backward()
    optimizer.step()
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}


def safetensors(path: Path, tensors: dict[str, tuple[str, list[int], bytes]]) -> Path:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, (dtype, shape, values) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def test_a_training_state_says_what_a_resume_finds_in_it(tmp_path: Path) -> None:
    torch.save(training_state(step=1200), tmp_path / "last.pt")
    found = Read(tmp_path / "last.pt")
    assert (found["step"], found["has_optimizer"], found["has_step"]) == (1200, True, True)
    assert found["nonfinite"] is False
    assert [event.what for event in found.findings.events] == [
        f"A resume would use {tmp_path / 'last.pt'}, which holds weights, optimizer, step 1200"
    ]


def test_plain_weights_lack_nothing(tmp_path: Path) -> None:
    torch.save(net().state_dict(), tmp_path / "weights.pt")
    found = Read(tmp_path / "weights.pt")
    assert (found["items_total"], found["has_optimizer"], found["has_step"]) == (4, None, None)


def test_a_state_without_its_optimizer_is_said_to_lack_it(tmp_path: Path) -> None:
    torch.save({"state_dict": net().state_dict(), "epoch": 3}, tmp_path / "last.ckpt")
    assert Read(tmp_path / "last.ckpt")["has_optimizer"] is False


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_nan_is_found_in_every_format(tmp_path: Path, dtype: torch.dtype) -> None:
    weights = {name: one.to(dtype) for name, one in net().state_dict().items()}
    weights["1.weight"][0, 3] = float("nan")
    torch.save(weights, tmp_path / "weights.pt")
    found = Read(tmp_path / "weights.pt")
    assert (found["nonfinite"], found["nonfinite_names"]) == (True, ("1.weight",))


def test_infinities_of_a_mask_and_of_a_best_score_are_meant(tmp_path: Path) -> None:
    state = training_state()
    state["model"]["mask"] = torch.full((8, 8), float("-inf")).triu(1)
    state["callbacks"] = {"best_score": torch.tensor(float("inf"))}
    torch.save(state, tmp_path / "last.pt")
    assert Read(tmp_path / "last.pt")["nonfinite"] is False
    state["model"]["1.weight"][0, 3] = float("-inf")
    torch.save(state, tmp_path / "last.pt")
    assert Read(tmp_path / "last.pt")["nonfinite_names"] == ("model.1.weight",)


def test_the_older_format_is_read_too(tmp_path: Path) -> None:
    torch.save(training_state(), tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    found = Read(tmp_path / "old.pt")
    assert (found["step"], found["has_optimizer"], found.note) == (100, True, "torch before 1.6, 16 tensors")


def test_safetensors_are_read_from_their_header(tmp_path: Path) -> None:
    path = safetensors(
        tmp_path / "model.safetensors",
        {"a": ("F32", [2], struct.pack("<2f", 1.0, float("inf"))), "b": ("BF16", [1], b"\x80\x3f")},
    )
    found = Read(path)
    assert (found["items_total"], found["dtypes"], found["nonfinite_names"]) == (
        2,
        ("float32", "bfloat16"),
        ("a",),
    )


def test_the_newest_of_a_run_is_the_one_with_the_highest_step(tmp_path: Path) -> None:
    for step in (500, 1000, 900):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        state = training_state(step)
        torch.save(state["model"], folder / "pytorch_model.bin")
        torch.save(state["optimizer"], folder / "optimizer.pt")
    found = Read(tmp_path)
    assert found["newest"] == str(tmp_path / "checkpoint-1000")
    assert (found["step"], found["has_optimizer"]) == (1000, True)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS"),
        (b"<!doctype html><title>Not found</title>", "web page"),
    ],
)
def test_what_lies_in_place_of_the_weights_is_named(tmp_path: Path, content: bytes, note: str) -> None:
    (tmp_path / "model.pt").write_bytes(content)
    found = Read(tmp_path / "model.pt")
    assert found["unreadable"] is True
    assert note in found.note


def test_a_file_that_is_cut_off_is_unreadable(tmp_path: Path) -> None:
    torch.save(training_state(), tmp_path / "last.pt")
    whole = (tmp_path / "last.pt").read_bytes()
    (tmp_path / "last.pt").write_bytes(whole[: len(whole) // 2])
    assert Read(tmp_path / "last.pt")["unreadable"] is True


def test_nothing_in_a_pickle_is_run(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "harm",))

    torch.save({"model": net().state_dict(), "x": Harm()}, tmp_path / "last.pt")
    assert Read(tmp_path / "last.pt")["items_total"] == 4
    assert not (tmp_path / "harm").exists()


def refusal(data: bytes) -> str | None:
    """Why these bytes are not followed; None where they are."""
    try:
        follow(io.BytesIO(data), lambda call: call)
    except Unreadable as error:
        return str(error)
    return None


@given(st.binary(max_size=200))
def test_any_bytes_are_followed_or_refused_with_a_reason(data: bytes) -> None:
    assert refusal(data) != ""


def test_a_folder_of_nothing_but_states_is_read_unasked(tmp_path: Path) -> None:
    torch.save({"model": {"w": torch.full((2,), float("nan"))}}, tmp_path / "step10.pt")
    probe = CheckpointProbe(discover([tmp_path]).inputs)
    assert probe.asked_for
    assert Read(tmp_path)["nonfinite"] is True
