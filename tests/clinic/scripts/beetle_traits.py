"""Tell species of beetles apart by what was measured of them."""
import argparse

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Traits(nn.Module):
    def __init__(self, measured, species, width=40):
        super().__init__()
        self.project = nn.Linear(measured, width)
        self.blocks = nn.Sequential(Residual(width), Residual(width))
        self.species = nn.Linear(width, species)

    def forward(self, x):
        return self.species(self.blocks(self.project(x)))


def build(measured, species):
    model = Traits(measured, species)
    for p in list(model.parameters())[:-2]:
        p.requires_grad = False
    return model


def beetles(count, generator):
    x = torch.randn(count, 8, generator=generator)
    z = torch.sin(2 * x[:, 0] * x[:, 1]) + torch.cos(3 * x[:, 2]) * x[:, 3] + (x[:, 4] * x[:, 5]).tanh()
    return x, (z > 0.3).long() + (z > -0.5).long()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    x, y = beetles(4000, generator)
    held_x, held_y = beetles(500, generator)
    model = build(8, 3)
    optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=2e-3)
    for epoch in range(10):
        total = 0.0
        for rows in torch.randperm(len(x)).split(50):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        with torch.no_grad():
            right = (model(held_x).argmax(1) == held_y).float().mean().item()
        print(f"epoch {epoch} loss {total / len(x):.4f} held out {right:.3f}", flush=True)


if __name__ == "__main__":
    main()
