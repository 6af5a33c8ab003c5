"""A count model with a log-likelihood that is summed over all sites."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 60))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
rates = torch.randn(8, 60) / 3 + 0.1
for step in range(200):
    x = torch.randn(64, 8)
    count = torch.poisson(torch.exp((x @ rates).clamp(max=3) + 2))
    loss = nn.functional.poisson_nll_loss(net(x), count, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} nll {loss.item():.1f}")
