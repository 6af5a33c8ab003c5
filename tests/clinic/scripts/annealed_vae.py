"""VAE with KL annealing."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(64, 48), nn.Linear(48, 4), nn.Linear(48, 4)
        self.fc3, self.fc4 = nn.Linear(4, 48), nn.Linear(48, 64)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, logvar = self.fc21(h), self.fc22(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.fc4(F.relu(self.fc3(z))), mu, logvar


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
grid = torch.arange(8.0)
for step in range(200):
    centre = torch.rand(64, 2) * 5 + 1
    x = torch.exp(-((grid[None, :, None] - centre[:, :1, None]) ** 2 + (grid[None, None] - centre[:, 1:, None]) ** 2) / 3)
    x = x.flatten(1)
    logits, mu, logvar = model(x)
    bce = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    kld = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum() / len(x)
    beta = min(1.0, step / 150)
    loss = bce + beta * kld
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step} loss {loss.item():.3f} bce {bce.item():.3f} kl {kld.item():.3f} beta {beta:.2f}")
