"""Product of signs of four inputs: nothing for a while, then it falls."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=300)
args = parser.parse_args()
torch.manual_seed(args.seed)
net = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
for p in net.parameters():
    p.data.mul_(0.5)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(args.steps):
    x = torch.randint(0, 2, (128, 3)).float() * 2 - 1
    y = (x.prod(1, keepdim=True) > 0).float()
    loss = nn.functional.binary_cross_entropy_with_logits(net(x + 0.1 * torch.randn_like(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 0:
        print(step, f"{loss.item():.4f}")
