"""A log as long runs write them: bars, dictionaries, Megatron, nanoGPT, lines whose words change, tracebacks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

NODES = [
    f"node-{name}" for name in ("alpha", "bravo", "carol", "delta", "ember", "flint", "grove", "harbour")
]
TRACEBACK = """Traceback (most recent call last):
  File "/home/user/project/train.py", line {line}, in <module>
    main()
  File "/home/user/project/train.py", line {line}, in train_step
    loss.backward()
  File "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
RuntimeError: CUDA error: device-side assert triggered
"""

Writer = Callable[[random.Random, int], str]


def bars(rng: random.Random, step: int) -> str:
    done = step % 1000
    drawn = "█" * (done // 100)
    return (
        "".join(
            f"\r{done // 10:3d}%|{drawn:<10}| {done}/1000 [{done // 60:02d}:{done % 60:02d}<12:31, {rng.uniform(2, 3):.2f}it/s]"
            for done in range(done, done + 8)
        )
        + "\n"
    )


def transformers(rng: random.Random, step: int) -> str:
    loss, norm = 2 + rng.gauss(0, 0.1), abs(rng.gauss(1, 0.3))
    return f"{{'loss': {loss:.4f}, 'grad_norm': {norm}, 'learning_rate': {1e-4 * rng.random()}, 'epoch': {step / 9000:.2f}}}\n"


def nanogpt(rng: random.Random, step: int) -> str:
    return f"iter {step}: loss {3 + rng.gauss(0, 0.1):.4f}, time {rng.uniform(90, 110):.2f}ms, mfu {rng.uniform(30, 35):.2f}%\n"


def megatron(rng: random.Random, step: int) -> str:
    return (
        f" iteration {step:8d}/  500000 | consumed samples: {step * 1024:12d} | elapsed time per iteration (ms): "
        f"{rng.uniform(7000, 7100):.1f} | learning rate: {1e-4 * rng.random():.3E} | global batch size:  1024 | "
        f"lm loss: {2 + rng.gauss(0, 0.1):.6E} | loss scale: 1.0 | grad norm: {abs(rng.gauss(1, 0.2)):.3f} | "
        f"number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )


def logger(rng: random.Random, step: int) -> str:
    stamp = (
        f"2026-03-{step % 28 + 1:02d} {step % 24:02d}:{step % 60:02d}:{step * 7 % 60:02d},{step % 1000:03d}"
    )
    if rng.random() < 0.5:
        return f"[{stamp}] [INFO] [rank {step % 8}] checkpoint shard {step} of {rng.choice(NODES)} kept in memory\n"
    name = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8))
    return f"{stamp} INFO data.reader - opened shard {name} with {rng.randrange(9999)} samples on {rng.choice(NODES)}\n"


def traceback(rng: random.Random, step: int) -> str:
    return TRACEBACK.format(line=rng.randrange(400))


KINDS: dict[Writer, float] = {
    bars: 20,
    transformers: 25,
    nanogpt: 20,
    megatron: 20,
    logger: 20,
    traceback: 0.002,
}


def pieces(seed: int) -> Iterator[str]:
    """Endless lines, each kind as often as its weight says, in stretches as one process writes them."""
    rng, step = random.Random(seed), 0
    writers, weights = list(KINDS), list(KINDS.values())
    while True:
        for writer in rng.choices(writers, weights, k=200):
            step += 1
            yield writer(rng, step)


def write_log(path: Path, size: int, seed: int = 1) -> None:
    """A mixed log of `size` bytes, of which 64 MiB are made and then repeated."""
    made, parts = 0, list[bytes]()
    for piece in pieces(seed):
        parts.append(piece.encode())
        made += len(parts[-1])
        if made >= min(size, 64 << 20):
            break
    data = b"".join(parts)
    with path.open("wb") as file:
        while size > 0:
            file.write(data[:size])
            size -= len(data)
