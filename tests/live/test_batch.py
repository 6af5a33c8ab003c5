"""What is said about a batch: NaN and Inf in inputs and labels, where, which samples, and the batch in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from traindx.probes.live.observer.batch import Entry, describe, entries
from traindx.probes.live.observer.blame import from_outside
from traindx.probes.live.observer.replay import load_batch

from .looking import Said, watched

NAN = float("nan")


def run(data: list[Any], options: dict[str, Any] | None = None, collate: Any = None) -> Said:
    """One epoch in order over these samples, in batches of four."""
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    with watched(options) as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader: Any = torch.utils.data.DataLoader(data, batch_size=4, collate_fn=collate)  # type: ignore[arg-type]
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss: Any = (
                F.mse_loss(model(inputs), labels)
                if labels.is_floating_point()
                else F.cross_entropy(model(inputs), labels)
            )
            loss.backward()
            optimizer.step()
    return said


def samples(bad_input: int = -1, bad_label: int = -1) -> list[Any]:
    return [
        (
            torch.full((3,), NAN if number == bad_input else number / 10),
            torch.full((2,), NAN if number == bad_label else 1.0),
        )
        for number in range(16)
    ]


def test_a_sample_with_nan_is_named_by_its_place_in_the_batch_and_in_the_data_set() -> None:
    said = run(samples(bad_input=9))
    assert said["data.inputs.nonfinite"] is True
    assert said["data.labels.nonfinite"] is False
    assert said["data.nonfinite_where"] == "step 3, key 0, 1 of 4 samples: 1; in the data set 9"


def test_nan_in_the_labels_is_told_from_nan_in_the_inputs() -> None:
    said = run(samples(bad_label=14))
    assert said["data.inputs.nonfinite"] is False
    assert said["data.labels.nonfinite"] is True
    assert said["data.nonfinite_where"] == "step 4, key 1, 1 of 4 samples: 2; in the data set 14"


def test_samples_are_named_where_workers_load_them() -> None:
    torch.manual_seed(0)
    model = nn.Linear(3, 2)
    with watched() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader: Any = torch.utils.data.DataLoader(samples(bad_input=9), batch_size=4, num_workers=1)  # type: ignore[arg-type]
        for inputs, labels in loader:
            F.mse_loss(model(inputs), labels).backward()
            optimizer.step()
    assert str(said["data.nonfinite_where"]).endswith("in the data set 9")


def test_clean_batches_are_said_to_be_clean() -> None:
    said = run(samples())
    assert said["data.inputs.nonfinite"] is False
    assert said["data.labels.nonfinite"] is False
    assert said["data.inputs.max_abs"] == pytest.approx(1.1)


def test_the_bad_batch_is_saved_and_can_be_read_without_running_code(tmp_path: Path) -> None:
    said = run(samples(bad_input=9), {"save_batch": str(tmp_path)})
    [path] = tmp_path.iterdir()
    assert said.records("event")[0]["what"] == f"the batch was saved: {path}"
    saved = load_batch(str(path))
    assert saved["step"] == 3
    inputs, labels = saved["batch"]
    assert inputs.shape == (4, 3)
    assert inputs[1].isnan().all()
    assert labels.shape == (4, 2)


def test_labels_that_are_all_ignored_are_counted() -> None:
    data = [(torch.randn(3), torch.tensor(-100 if number >= 4 else number % 2)) for number in range(8)]
    said = run(data)
    assert said["data.labels.all_ignored"] is True
    assert said["data.labels.ignored_share"] == 1.0
    assert "data.labels.max" not in said.facts


@pytest.mark.parametrize(
    ("batch", "arguments", "labels"),
    [
        ({"input_ids": torch.ones(2), "labels": torch.zeros(2)}, None, ["labels"]),
        ([torch.ones(2), torch.zeros(2)], None, ["1"]),
        (None, ((torch.ones(2),), {"labels": torch.zeros(2)}), ["labels"]),
        ([torch.ones(2)], None, []),
    ],
    ids=["keys", "a pair", "arguments", "inputs alone"],
)
def test_labels_are_told_from_inputs(batch: Any, arguments: Any, labels: list[str]) -> None:
    found = entries(torch, batch, arguments)
    assert [one.key for one in found if one.is_label] == labels


def test_what_the_model_is_not_given_is_a_label_wherever_it_stands() -> None:
    target, image = torch.zeros(2), torch.ones(2)
    found = entries(torch, [target, image], ((image,), {}))
    assert [one.key for one in found if one.is_label] == ["0"]


def test_labels_are_described_by_their_distribution_without_the_ignored() -> None:
    [entry] = entries(torch, {"labels": torch.tensor([0, 1, 1, -100])}, None)
    known = describe(torch, entry)
    assert known["distribution"] == {"0": 1, "1": 2}
    assert known["ignored_share"] == 0.25
    assert (known["min"], known["max"]) == (0, 1)


def test_a_bad_input_of_one_of_two_models_is_found_without_a_loader() -> None:
    models = [nn.Linear(3, 1), nn.Linear(3, 1)]
    with watched() as said:
        optimizers = [torch.optim.SGD(one.parameters(), lr=0.01) for one in models]
        for step in range(1, 8):
            inputs = [torch.rand(4, 3), torch.full((4, 3), NAN if step == 5 else 1.0)]
            for one in optimizers:
                one.zero_grad()
            loss: Any = torch.stack(
                [model(one).mean() for model, one in zip(models, inputs, strict=True)]
            ).sum()
            loss.backward()
            for one in optimizers:
                one.step()
    assert said["data.inputs.nonfinite"] is True


def test_columns_of_an_input_that_wants_a_gradient_are_given_and_not_computed() -> None:
    points = torch.full((4, 2), NAN).requires_grad_()
    model = nn.Linear(1, 1)
    columns = [Entry("0", False, points[:, 0:1]), Entry("1", False, points[:, 1:2])]
    computed = Entry("2", False, model(points[:, 0:1])[:2])
    assert from_outside(torch, [*columns, computed]) == columns


def test_batches_of_such_columns_are_looked_at_from_the_first_step_on() -> None:
    model = nn.Linear(1, 1)
    with watched() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(2):
            points = torch.rand(4, 2, requires_grad=True)
            optimizer.zero_grad()
            model(points[:, 0:1]).sum().backward()
            optimizer.step()
    assert said["data.inputs.nonfinite"] is False
