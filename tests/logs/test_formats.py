"""Every sample line of kb/logs is read as the file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from traindx import kb
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.logs.samples import check_format

from .conftest import Reads, read_yaml

FORMATS = [
    one for path in sorted(Path(next(iter(kb.__path__)), "logs").glob("*.yaml")) for one in read_yaml(path)
]
SAMPLES = [
    pytest.param(one.get("trainer", ""), sample, id=f"{one['id']}-{number}")
    for one in FORMATS
    for number, sample in enumerate(one["samples"], 1)
]


@pytest.mark.parametrize(("trainer", "sample"), SAMPLES)
def test_sample_is_read_as_its_format_says(
    trainer: str, sample: dict[str, Any], knowledge: Knowledge
) -> None:
    assert check_format(trainer, [(sample["text"], sample["reads"])], knowledge) == []


def test_trainer_is_a_fact(read: Reads) -> None:
    assert read("iter 0: loss 4.2, time 90.00ms, mfu 20.00%\n")["log.trainer"] == "nanogpt"
