"""Noise prediction for small runes, one network for all of their kinds."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F


class Denoiser(nn.Module):
    def __init__(self, d=64, kinds=None):
        super().__init__()
        self.time = nn.Linear(1, d)
        self.kinds = nn.Embedding(kinds, d) if kinds else None
        self.first, self.middle, self.last = nn.Linear(64, d), nn.Linear(d, d), nn.Linear(d, 64)

    def forward(self, noisy, time, class_labels=None):
        h = self.first(noisy) + self.time(time[:, None])
        if self.kinds is not None:
            h = h + self.kinds(class_labels)
        return self.last(F.silu(self.middle(F.silu(h))))


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
kinds = torch.randint(0, 5, (2000,))
runes = torch.randn(5, 64).sign()[kinds] + 0.1 * torch.randn(2000, 64)
model = Denoiser()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(200):
    chosen, time = torch.randint(0, 2000, (64,)), torch.rand(64)
    rune, kind = runes[chosen], kinds[chosen]
    noise = torch.randn(64, 64)
    mixed = (1 - time).sqrt()[:, None] * rune + time.sqrt()[:, None] * noise
    loss = F.mse_loss(model(mixed, time, class_labels=kind), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 24:
        print(f"step {step + 1} loss {loss.item():.4f}")
