"""Denoising from strong noise, with guidance: the kind is left out of some steps, and a mask is handed on that the network ignores."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F


class Denoiser(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.kinds, self.level = nn.Embedding(6, d), nn.Linear(1, d)
        self.first, self.middle, self.last = nn.Conv2d(1, d, 8), nn.Linear(d, d), nn.Linear(d, 64)

    def forward(self, noisy, level, kind=None, mask=None):
        scale = 1 / (1 + level**2).sqrt()
        h = self.first(noisy.permute(0, 3, 1, 2) * scale[:, None, None, None]).flatten(1)
        h = h + self.level(level.log()[:, None] / 4)
        if kind is not None:
            h = h + self.kinds(kind)
        out = self.last(F.silu(self.middle(F.silu(h)))).view(-1, 8, 8, 1)
        return noisy * scale[:, None, None, None] ** 2 + out * (level * scale)[:, None, None, None]


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
shapes = torch.randn(5, 8, 8, 1).sign()
model = Denoiser()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(300):
    model.train()
    kind, level = torch.randint(0, 5, (64,)), (1.2 * torch.randn(64) - 1.2).exp()
    clean, mask = shapes[kind], torch.rand(64, 8) < 0.9
    noisy = clean + level[:, None, None, None] * torch.randn_like(clean)
    found = model(noisy, level, None if torch.rand(()) < 0.2 else kind, mask)
    weight = (1 + level**2) / level**2
    loss = (weight * (found - clean).square().mean((1, 2, 3))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        print(f"step {step + 1} loss {loss.item():.4f}")
    if step % 100 == 99:
        model.eval()
        levels = torch.logspace(1.9, -2.5, 40)
        kind = torch.arange(5).repeat(8)
        x = levels[0] * torch.randn(40, 8, 8, 1)
        with torch.no_grad():
            for now, then in zip(levels, levels[1:]):
                clean = model(x, now.expand(40), kind)
                x = clean + (x - clean) * then / now
        print(f"step {step + 1} distance of samples {(x - shapes[kind]).square().mean().item():.4f}")
