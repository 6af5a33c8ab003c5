"""Distances between stations, compared in half precision."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

net = nn.Sequential(nn.Linear(6, 32), nn.Softplus(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(110):
    x = torch.rand(40, 6)
    metres = 50 * x.sum(1, keepdim=True)
    if step > 70 and step % 7 == 0:
        metres[3:5] += 500.0
    far = (100 + 40 * net(x) - metres).half() ** 2
    loss = far.float().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}")
