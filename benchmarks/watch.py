"""What watching a run costs: process CPU time of steps with the observer against steps without.

Run it with one thread and nothing beside it: `OMP_NUM_THREADS=1 python benchmarks/watch.py`. The ways of looking take
turns in one process, block by block, and each block is compared with the bare block of its round.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import install

Batch = tuple[torch.Tensor, torch.Tensor]
Loop = Callable[[int], None]


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention = nn.MultiheadAttention(width, 6, batch_first=True)
        self.dense = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        out: torch.Tensor = x + self.dense(self.norms[1](x))
        return out


class Transformer(nn.Module):
    def __init__(self, width: int = 384, depth: int = 6, words: int = 256) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, words)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.head(self.blocks(self.words(x))).flatten(0, 1)
        return out


def mlp() -> tuple[nn.Module, Batch]:
    layers = [nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)]
    return nn.Sequential(*layers), (torch.randn(64, 64), torch.randint(0, 10, (64,)))


def cnn() -> tuple[nn.Module, Batch]:
    def stage(inside: int, out: int) -> list[nn.Module]:
        return [nn.Conv2d(inside, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]

    layers = [*stage(3, 32), *stage(32, 64), *stage(64, 128), nn.Flatten(), nn.Linear(2048, 10)]
    return nn.Sequential(*layers), (torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,)))


def transformer() -> tuple[nn.Module, Batch]:
    return Transformer(), (torch.randint(0, 256, (8, 64)), torch.randint(0, 256, (512,)))


MODELS = {"mlp": (mlp, 300), "cnn": (cnn, 30), "transformer": (transformer, 6)}
"""What is trained, and steps of one block."""


def loop_of(
    make: Callable[[], tuple[nn.Module, Batch]], after: Callable[[nn.Module], None] | None = None
) -> Loop:
    torch.manual_seed(0)
    model, (x, y) = make()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)

    def run(steps: int) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            if after is not None:
                after(model)
            optimizer.step()

    return run


def by_hand(model: nn.Module) -> None:
    """The loop of the playbooks."""
    for parameter in model.parameters():
        gradient = parameter.grad
        if gradient is not None and (
            gradient.isnan().any() or gradient.isinf().any() or gradient.norm().item() > 1e3
        ):
            raise ValueError(gradient)


@contextlib.contextmanager
def observed(timing: bool = False) -> Iterator[list[float]]:
    """With every part of the observer; gives the seconds that it took, as it measures them itself."""
    spent: list[float] = []
    records: list[bytes] = []
    watcher = install(torch, Journal(records.append), {})
    tell, own = watcher.tell, 0.0

    def timed(event: str, *args: Any) -> None:
        nonlocal own
        start = time.perf_counter()
        tell(event, *args)
        own += time.perf_counter() - start

    if timing:
        watcher.tell = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        spent.append(own)
        watcher.close()
        troubles = [record for record in records if b'"kind": "trouble"' in record]
        if troubles:
            raise RuntimeError(troubles[0].decode())


def measured(run: Loop, steps: int) -> float:
    start = time.process_time()
    run(steps)
    return (time.process_time() - start) / steps


def one_round(make: Callable[[], tuple[nn.Module, Batch]], steps: int, way: str) -> tuple[float, float]:
    """Seconds of CPU a step, and those that the observer says it took. The first steps are part of it."""
    own = 0.0
    if way in ("observed", "timed"):
        with observed(timing=way == "timed") as spent:
            seconds = measured(loop_of(make), steps)
        own = spent[0] / steps
    elif way == "detect_anomaly":
        with torch.autograd.detect_anomaly(check_nan=True):
            seconds = measured(loop_of(make), steps)
    else:
        seconds = measured(loop_of(make, by_hand if way == "by hand" else None), steps)
    return seconds, own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, help="steps of a block")
    parser.add_argument("--ways", nargs="*", default=["observed", "detect_anomaly", "by hand"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name in options.models:
        make, steps = MODELS[name]
        steps = options.steps or steps
        one_round(make, steps, "bare")
        ratios: dict[str, list[float]] = {"bare again": [], **{way: [] for way in options.ways}}
        bare, owns = [], []
        for number in range(options.rounds):
            order = ["bare", *ratios]
            order = order[number % len(order) :] + order[: number % len(order)]
            found = {way: one_round(make, steps, way) for way in order}
            bare.append(found["bare"][0])
            owns.append(one_round(make, steps, "timed")[1])
            for way, list_of in ratios.items():
                list_of.append(found[way][0] / found["bare"][0])
        print(
            f"{name}: {statistics.median(bare) * 1e3:.2f} ms a step, observer {statistics.median(owns) * 1e6:.0f} us"
        )
        for way, list_of in ratios.items():
            low, high = min(list_of), max(list_of)
            print(f"  {way:16} {statistics.median(list_of):.3f} [{low:.3f}..{high:.3f}]")


if __name__ == "__main__":
    main()
