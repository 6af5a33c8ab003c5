"""A gated network; saves memory where it can."""
import argparse

import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.transform, self.gate = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        g = torch.sigmoid(self.gate(x))
        h = torch.tanh(self.transform(x))
        out = g * h
        g.neg_().add_(1)
        return out + g * x


ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=0)
args = ap.parse_args()
torch.manual_seed(args.seed)
model = nn.Sequential(nn.Linear(12, 32), Highway(32), Highway(32), nn.Linear(32, 2))
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
w = torch.randn(12)
for step in range(100):
    x = torch.randn(64, 12)
    loss = nn.functional.cross_entropy(model(x), (x @ w > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, loss.item())
