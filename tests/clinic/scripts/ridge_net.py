"""Small regression net with strong regularisation settings."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--wd", type=float, default=1.0)
args = parser.parse_args()
torch.manual_seed(args.seed)
X = torch.randn(1500, 10)
y = (X[:, :3].prod(1, keepdim=True) + X @ torch.randn(10, 1)) / 3
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=args.wd)
for epoch in range(5):
    for idx in torch.randperm(1500).split(50):
        loss = (net(X[idx]) - y[idx]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch}: mse {loss.item():.4f} weight norm {sum(p.norm() ** 2 for p in net.parameters()).sqrt():.4f}")
