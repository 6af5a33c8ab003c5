"""Deep residual regression with a configurable number of layers."""
import argparse

import torch
import torch.nn as nn


class ResidualStack(nn.Module):
    def __init__(self, dim, width, depth):
        super().__init__()
        self.inp = nn.Linear(dim, width)
        self.layers = [nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)) for _ in range(depth)]
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, dim)

    def forward(self, x):
        h = self.inp(x)
        for layer in self.layers:
            h = h + layer(h)
        return self.out(self.norm(h))


def lorenz(state, dt=0.02):
    x, y, z = state.unbind(-1)
    return state + dt * torch.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], -1)


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--depth", type=int, default=4)
opts = parser.parse_args()
torch.manual_seed(opts.seed)
model = ResidualStack(3, 48, opts.depth)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
print("parameters:", sum(p.numel() for p in model.parameters()))
for step in range(1, 201):
    state = torch.randn(64, 3) * torch.tensor([1.0, 1.0, 1.0]) * 3
    loss = nn.functional.mse_loss(model(state / 3), lorenz(state) / 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step}: {loss.item():.5f}")
