"""A watched run gives, bit for bit, the losses, the weights and the random state of the run unwatched."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import install

STEPS = 200

Losses = list[float]
Run = Callable[[], tuple[Losses, list[nn.Module]]]


@contextlib.contextmanager
def watched() -> Iterator[list[bytes]]:
    """Every part of the observer at work, none of which may fail."""
    records: list[bytes] = []
    watcher = install(torch, Journal(records.append), {})
    try:
        yield records
    finally:
        watcher.close()
    assert [one for one in records if b'"trouble"' in one] == []


def outcome(run: Run) -> dict[str, Any]:
    torch.manual_seed(0)
    random.seed(0)
    losses, models = run()
    state = {f"{n}.{key}": value for n, one in enumerate(models) for key, value in one.state_dict().items()}
    gradients = {f"{n}.{key}": p.grad for n, one in enumerate(models) for key, p in one.named_parameters()}
    return {
        "losses": losses,
        "state": state,
        "gradients": gradients,
        "random": (torch.get_rng_state(), random.getstate()),
    }


def same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor):
        bits = [tensor.reshape(-1).view(torch.uint8) for tensor in (one, other)]
        return one.dtype == other.dtype and bool(torch.equal(*bits))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def assert_unchanged(run: Run) -> None:
    plain = outcome(run)
    with watched() as records:
        seen = outcome(run)
    assert len(plain["losses"]) >= 10
    assert any(b'"kind": "steps"' in one for one in records)
    for key, value in plain.items():
        assert same(value, seen[key]), f"{key} differ"


def classes(samples: int, features: int = 8) -> tuple[Tensor, Tensor]:
    return torch.randn(samples, features), torch.randint(0, 4, (samples,))


def an_mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def mlp() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    x, y = classes(16)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, [model]


def cnn() -> tuple[Losses, list[nn.Module]]:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.3), nn.Flatten(), nn.Linear(8 * 36, 4)
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    losses = []
    for step in range(STEPS):
        x, y = torch.randn(8, 3, 8, 8), torch.randint(0, 4, (8,))
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 50 == 49:
            model.eval()
            with torch.no_grad():
                losses.append(model(x).sum().item())
            model.train()
    return losses, [model]


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(16, 20)
        self.head.weight = self.words.weight

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.encoder(self.words(x)))
        return out


def transformer_in_bf16() -> tuple[Losses, list[nn.Module]]:
    model = Transformer()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    losses = []
    for _ in range(STEPS):
        x = torch.randint(0, 20, (2, 7))
        with torch.autocast("cpu", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [model]


def gan() -> tuple[Losses, list[nn.Module]]:
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
    judge = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))
    of_generator = torch.optim.Adam(generator.parameters(), 1e-3)
    of_judge = torch.optim.Adam(judge.parameters(), 1e-3)
    says = nn.functional.binary_cross_entropy_with_logits
    losses = []
    for _ in range(STEPS):
        real, noise = torch.randn(8, 8), torch.randn(8, 4)
        of_judge.zero_grad()
        loss = says(judge(real), torch.ones(8, 1)) + says(judge(generator(noise).detach()), torch.zeros(8, 1))
        loss.backward()
        of_judge.step()
        of_generator.zero_grad()
        other = says(judge(generator(noise)), torch.ones(8, 1))
        other.backward()
        of_generator.step()
        losses += [loss.item(), other.item()]
    return losses, [generator, judge]


def accumulation() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses = []
    for number in range(STEPS):
        x, y = classes(8)
        loss = nn.functional.cross_entropy(model(x), y) / 4
        loss.backward()
        losses.append(loss.item())
        if number % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
    return losses, [model]


def lbfgs() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
    x, y = classes(16)
    losses: Losses = []

    def closure() -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(STEPS // 4):
        optimizer.step(closure)
    return losses, [model]


def scaled_with_skips() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127, growth_interval=20)
    losses = []
    for _ in range(STEPS):
        x, y = classes(8)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss * 4).backward()
        scaler.step(optimizer)
        scaler.update()
        losses += [loss.item(), scaler.get_scale()]
    return losses, [model]


def broken() -> tuple[Losses, list[nn.Module]]:
    """A run that goes bad, so that the closer look is part of it."""
    model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses = []
    for number in range(STEPS // 4):
        x, y = classes(8)
        optimizer.zero_grad()
        out = model(x)
        loss = nn.functional.cross_entropy(out, y) + (torch.log(out - 100).mean() if number > 20 else 0)
        loss.backward()
        optimizer.step()
        losses.append(float(str(loss.item()).replace("nan", "-1")))
    return losses, [model]


@pytest.mark.parametrize(
    "run",
    [mlp, cnn, transformer_in_bf16, gan, accumulation, lbfgs, scaled_with_skips, broken],
    ids=lambda run: run.__name__,
)
def test_losses_weights_gradients_and_random_state_stay_the_same(run: Run) -> None:
    assert_unchanged(run)


class Numbers(Dataset[tuple[Tensor, int]]):
    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        noise = torch.rand(8) + random.random()
        return noise + index, index % 4


def with_workers() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    loader = DataLoader(Numbers(), batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)
    losses = []
    for _ in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses, [model]


def test_data_workers_give_the_same_batches() -> None:
    assert_unchanged(with_workers)


def compiled() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    fast = torch.compile(model, backend="aot_eager")
    losses = []
    for number in range(20):
        x, y = classes(16 if number < 10 else 24)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(fast(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [model]


def compiled_step() -> tuple[Losses, list[nn.Module]]:
    """The whole step is compiled, with the backward pass and the optimizer in it."""
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    @torch.compile(backend="eager")  # type: ignore[untyped-decorator]
    def step(x: Tensor, y: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    losses = [step(*classes(16)).item() for _ in range(20)]
    return losses, [model]


def compiled_in_place() -> tuple[Losses, list[nn.Module]]:
    model = an_mlp()
    model.compile(backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses = []
    for _ in range(20):
        x, y = classes(16)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [model]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("run", [compiled, compiled_step, compiled_in_place], ids=lambda run: run.__name__)
def test_a_compiled_run_has_no_new_graph_breaks_and_no_recompilations(run: Run) -> None:
    from torch._dynamo.utils import counters

    def counted() -> tuple[dict[str, Any], list[int]]:
        torch._dynamo.reset()
        counters.clear()
        found = outcome(run)
        graphs = counters["stats"]["unique_graphs"]
        return found, [graphs, counters["frames"]["total"], sum(counters["graph_break"].values())]

    plain, graphs = counted()
    with watched():
        seen, watched_graphs = counted()
    assert [max(one, other) for one, other in zip(watched_graphs, graphs, strict=True)] == graphs
    assert same(seen, plain)
