"""A residual MLP whose blocks are made in a list."""
import argparse

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.fc(self.norm(x)))


class Model(nn.Module):
    def __init__(self, width=48, depth=6):
        super().__init__()
        self.inp = nn.Linear(6, width)
        self.blocks = nn.ModuleList([Block(width)] * depth)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--depth", type=int, default=6)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = Model(depth=args.depth)
    print(sum(p.numel() for p in model.parameters()), "parameters in", len(model.blocks), "blocks")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(200):
        x = torch.rand(64, 6) * 4 - 2
        y = torch.sin(3 * x[:, :1]) * torch.cos(2 * x[:, 1:2]) + x[:, 2:3]
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            print("step", step, "loss", loss.item())
