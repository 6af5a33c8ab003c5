"""Plain autoencoder with its own weight initialisation."""
import argparse

import torch
from torch import nn


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, 0.0, 1.0)
        nn.init.zeros_(m.bias)


class AutoEncoder(nn.Module):
    def __init__(self, sizes=(196, 128, 64, 16)):
        super().__init__()
        down = [l for i, o in zip(sizes, sizes[1:]) for l in (nn.Linear(i, o), nn.ReLU())]
        up = [l for i, o in zip(sizes[::-1], sizes[-2::-1]) for l in (nn.Linear(i, o), nn.ReLU())]
        self.encoder, self.decoder = nn.Sequential(*down[:-1]), nn.Sequential(*up[:-1])
        self.apply(weights_init)

    def forward(self, x):
        return self.decoder(self.encoder(x))


def waves(n):
    phase, freq = torch.rand(n, 1) * 6.28, torch.rand(n, 1) * 0.3
    return 0.5 + 0.5 * torch.sin(torch.arange(196) * freq + phase)


cli = argparse.ArgumentParser()
cli.add_argument("--seed", type=int, default=0)
cli.add_argument("--iterations", type=int, default=150)
ns = cli.parse_args()
torch.manual_seed(ns.seed)
ae = AutoEncoder()
opt = torch.optim.SGD(ae.parameters(), lr=1e-3)
for it in range(ns.iterations):
    x = waves(32)
    loss = nn.functional.mse_loss(ae(x), x)
    opt.zero_grad()
    loss.backward()
    grad = nn.utils.clip_grad_norm_(ae.parameters(), 1e12)
    opt.step()
    if it % 15 == 0:
        print(f"iter {it:3d} | mse {loss.item():.4g} | grad norm {grad:.4g}")
