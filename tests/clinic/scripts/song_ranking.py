"""Ranking of songs by their listeners, with an anchor, a positive and a negative."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)
songs = torch.randn(30, 24)
net = nn.Sequential(nn.Linear(24, 128), nn.ReLU(), nn.Linear(128, 32))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)


def draw(n):
    a = torch.randint(30, (n,))
    b = (a + torch.randint(1, 30, (n,))) % 30
    return tuple(songs[t] + 0.5 * torch.randn(n, 24) for t in (a, a, b))


def order_loss(a, p, n):
    near = (a - p).pow(2).sum(1)
    far = (a - n).pow(2).sum(1)
    return (near - far + 1.0).clamp(min=0).mean()


for step in range(1200):
    a, p, n = (net(x) for x in draw(64))
    loss = order_loss(a, p, n)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"{step} ranking loss {loss.item():.4f}", flush=True)
