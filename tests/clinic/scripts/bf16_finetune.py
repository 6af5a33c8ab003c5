"""Everything in bfloat16, weights included."""
import argparse

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 8))

    def forward(self, x):
        return self.net(x)


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--lr", type=float, default=5e-5)
args = parser.parse_args()
torch.manual_seed(args.seed)
task = torch.randn(16, 8)
model = Regressor().to(torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
for step in range(250):
    x = torch.randn(64, 16)
    y = (x @ task).argmax(1)
    loss = nn.functional.cross_entropy(model(x.bfloat16()).float(), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print("step", step, "loss", round(loss.item(), 4))
