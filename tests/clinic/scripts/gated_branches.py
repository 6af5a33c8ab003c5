"""A residual network on gene activity whose branches begin as nothing and are to grow in."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


class Branch(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width, bias=False)
        self.outer = nn.Linear(2 * width, width, bias=False)
        for layer in (self.inner, self.outer):
            nn.init.zeros_(layer.weight)

    def forward(self, x):
        return x + self.outer(F.gelu(self.inner(self.norm(x))))


class Network(nn.Module):
    def __init__(self, genes=40, width=32, depth=3, kinds=6):
        super().__init__()
        self.stem = nn.Linear(genes, width)
        self.branches = nn.Sequential(*(Branch(width) for _ in range(depth)))
        self.out = nn.Linear(width, kinds)

    def forward(self, x):
        return self.out(self.branches(self.stem(x)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    genes = torch.randn(3000, 40)
    rule = nn.Sequential(nn.Linear(40, 32), nn.Tanh(), nn.Linear(32, 6))
    with torch.no_grad():
        kinds = (4 * rule(genes)).argmax(1)
    net = Network()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for step in range(200):
        rows = torch.randint(0, len(genes), (64,))
        loss = F.cross_entropy(net(genes[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
