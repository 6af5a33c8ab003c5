"""Small models that learn well, and what was measured while they did."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

HERE = Path(__file__).parent
TEXT = "".join(
    path.read_text("ascii", "ignore") for path in sorted((HERE.parents[2] / "kb" / "causes").rglob("*.yaml"))
)


class Step(NamedTuple):
    """One step: what was measured in it, and on validation data where that was done."""

    number: int
    loss: float
    norm: float
    rate: float
    accuracy: float
    eval_loss: float | None = None
    eval_accuracy: float | None = None


def train(model: nn.Module, batch: Callable[[bool], Any], steps: int, every: int, peak: float) -> list[Step]:
    """Train with AdamW, warm-up and a cosine. `batch(True)` gives validation data."""
    optimizer = torch.optim.AdamW(model.parameters(), peak, weight_decay=0.01)
    run = []
    for number in range(1, steps + 1):
        share = number / steps
        rate = peak * min(1.0, share / 0.05) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * share)))
        optimizer.param_groups[0]["lr"] = rate
        x, y = batch(False)
        out = model(x)
        loss = cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        optimizer.step()
        step = Step(number, float(loss.detach()), norm, rate, float((out.argmax(1) == y).float().mean()))
        if number % every == 0:
            with torch.no_grad():
                x, y = batch(True)
                out = model(x)
            held = float((out.argmax(1) == y).float().mean())
            step = step._replace(eval_loss=float(cross_entropy(out, y)), eval_accuracy=held)
        run.append(step)
    return run


def language(steps: int, every: int, seed: int) -> list[Step]:
    """The next character of this project's causes, from the twelve before it; every tenth piece is held out."""
    torch.manual_seed(seed)
    letters = sorted(set(TEXT))
    data = torch.tensor([letters.index(one) for one in TEXT])
    pieces = data.unfold(0, 13, 13)
    places = torch.arange(len(pieces))
    kinds = pieces[places % 10 == 0], pieces[places % 10 != 0]

    def batch(held: bool) -> Any:
        windows = kinds[0] if held else kinds[1]
        rows = windows[torch.randint(0, len(windows), (2048 if held else 256,))]
        return rows[:, :-1], rows[:, -1]

    model = nn.Sequential(
        nn.Embedding(len(letters), 24),
        nn.Flatten(),
        nn.Linear(288, 160),
        nn.GELU(),
        nn.Linear(160, len(letters)),
    )
    return train(model, batch, steps, every, 3e-3)


def pictures(steps: int, every: int, seed: int) -> list[Step]:
    """Ten noisy patterns of 8 x 8 pixels."""
    torch.manual_seed(seed)
    patterns = torch.randn(10, 1, 8, 8)

    def batch(held: bool) -> Any:
        y = torch.randint(0, 10, (1000 if held else 64,))
        return patterns[y] + 1.6 * torch.randn(len(y), 1, 8, 8), y

    convolutions = [nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*convolutions, nn.Flatten(), nn.Linear(256, 10))
    return train(model, batch, steps, every, 3e-3)


def denoising(steps: int, seed: int) -> list[Step]:
    """The noise in points on a spiral, as a diffusion model learns it."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(3, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 2))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    run = []
    for number in range(1, steps + 1):
        angle, level, noise = torch.rand(128, 1) * 9, torch.rand(128, 1), torch.randn(128, 2)
        point = torch.cat([angle.cos(), angle.sin()], 1) * angle / 9
        mixed = (1 - level).sqrt() * point + level.sqrt() * noise
        loss = mse_loss(model(torch.cat([mixed, level], 1)), noise)
        optimizer.zero_grad()
        loss.backward()
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        optimizer.step()
        run.append(Step(number, float(loss.detach()), norm, 1e-3, 0.0))
    return run


def adversaries(steps: int, seed: int) -> list[tuple[float, float, float, float, float]]:
    """A generator of points on a circle and its critic: both losses, and what the critic says of both kinds."""
    torch.manual_seed(seed)
    make = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
    judge = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
    makes, judges = (torch.optim.Adam(one.parameters(), 1e-3, betas=(0.5, 0.999)) for one in (make, judge))
    loss = nn.BCEWithLogitsLoss()
    run = []
    for _ in range(steps):
        angle = torch.rand(128, 1) * 2 * math.pi
        real = torch.cat([angle.cos(), angle.sin()], 1) + 0.1 * torch.randn(128, 2)
        false = make(torch.randn(128, 8))
        on_real, on_false = judge(real), judge(false.detach())
        judged = loss(on_real, torch.ones(128, 1)) + loss(on_false, torch.zeros(128, 1))
        judges.zero_grad()
        judged.backward()
        judges.step()
        after = judge(false)
        made = loss(after, torch.ones(128, 1))
        makes.zero_grad()
        made.backward()
        makes.step()
        scores = [float(one.detach().sigmoid().mean()) for one in (on_real, on_false, after)]
        run.append((float(judged.detach()), float(made.detach()), scores[0], scores[1], scores[2]))
    return run


def policy(updates: int, seed: int) -> list[dict[str, float]]:
    """A policy that learns to keep a drifting point near zero, by its own returns."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    run = []
    for _ in range(updates):
        place, rewards, logs, entropies = torch.rand(64, 1) * 4 - 2, [], [], []
        for _ in range(20):
            choice = torch.distributions.Categorical(logits=model(place))
            action = choice.sample()
            place = place + (action.float().unsqueeze(1) - 1) * 0.3 + 0.1 * torch.randn(64, 1)
            rewards.append(1 - place.abs().squeeze(1).clamp(max=2))
            logs.append(choice.log_prob(action))
            entropies.append(choice.entropy())
        returns = torch.stack(rewards).flip(0).cumsum(0).flip(0)
        gain = (returns - returns.mean(1, keepdim=True)) / (returns.std() + 1e-6)
        entropy = torch.stack(entropies).mean()
        loss = -(torch.stack(logs) * gain).mean() - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        optimizer.step()
        total = torch.stack(rewards).sum(0)
        run.append(
            {"loss": float(loss.detach()), "reward": float(total.mean()), "spread": float(total.std()), "norm": norm,
             "entropy": float(entropy.detach())}
        )  # fmt: skip
    return run
