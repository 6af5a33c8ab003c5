"""Two ranks that average their gradients give the same weights, watched or not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

SCRIPT = """
import hashlib, os, sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

rank, rendezvous, watched = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "watched"
torch.set_num_threads(1)
records = []
if watched:
    from traindx.probes.live.observer.journal import Journal
    from traindx.probes.live.observer.watcher import install
    watcher = install(torch, Journal(records.append), {})
dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)
torch.manual_seed(rank)
model = DistributedDataParallel(nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.2), nn.ReLU(), nn.Linear(16, 4)))
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
digest = hashlib.sha256()
for _ in range(200):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(torch.randn(8, 8)), torch.randint(0, 4, (8,)))
    loss.backward()
    optimizer.step()
    digest.update(repr(loss.item()).encode())
digest.update(str([one.tolist() for one in model.parameters()]).encode())
digest.update(str(torch.get_rng_state().tolist()).encode())
dist.destroy_process_group()
if watched:
    watcher.close()
    assert not any(b'"trouble"' in one for one in records), records
    assert any(b'"kind": "steps"' in one for one in records)
print(digest.hexdigest(), flush=True)
os._exit(0)  # as it is: gloo's own threads may abort a process that tidies up, watched or not
"""


def digests(folder: Path, how: str) -> list[str]:
    script = folder / "train.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    ranks = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), str(folder / f"meet-{how}"), how],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    ended = [(one, *one.communicate(timeout=120)) for one in ranks]
    assert [one.returncode for one, _, _ in ended] == [0, 0], ended[0][2][-2000:] + ended[1][2][-2000:]
    return [out.strip() for _, out, _ in ended]


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_two_gloo_ranks_give_the_same_losses_weights_and_random_state(tmp_path: Path) -> None:
    assert digests(tmp_path, "watched") == digests(tmp_path, "plain")
