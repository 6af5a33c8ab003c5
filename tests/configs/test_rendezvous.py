"""The port at which processes meet: each launcher keeps it elsewhere, and passes over what stands beside that."""

from __future__ import annotations

import pytest

from .conftest import Reads

C10D = "torchrun --nnodes=2 --rdzv_backend=c10d "


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (f"{C10D}--rdzv_endpoint=node0:29500 train.py", f"{C10D}--rdzv_endpoint=node0:29511 train.py"),
        ("torchrun --master_port 29500 train.py", "torchrun --master_port 29511 train.py"),
        ("torchrun --nproc_per_node=2 train.py", "torchrun --nproc_per_node=2 --master_port=29511 train.py"),
    ],
)
def test_the_port_is_changed_where_the_launcher_reads_it(read: Reads, command: str, after: str) -> None:
    assert read({"a.sh": command + "\n"}).patched(master_port=29511) == after + "\n"


@pytest.mark.parametrize(
    "command",
    [
        f"{C10D}--rdzv_endpoint=$(hostname):29500 train.py",
        f"srun bash -c '{C10D}--rdzv_endpoint=$(hostname):29500 train.py'",
        f"{C10D}--rdzv_endpoint=$HEAD:$PORT train.py",
        f"{C10D}--rdzv_endpoint=node0 train.py",
        f"{C10D}train.py",
        "torchrun --standalone --nproc_per_node=2 train.py",
    ],
)
def test_no_port_is_added_that_the_launcher_passes_over(read: Reads, command: str) -> None:
    run = read({"a.sh": command + "\n"})
    assert (run["master_port"], run.plan(master_port=29511).files) == (None, ())
