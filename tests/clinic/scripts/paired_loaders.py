"""Leaf shapes and their species, which come from two files and two loaders."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=9)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    centres = torch.randn(8, 20)
    species = torch.randint(0, 8, (640,))
    leaves = centres[species] + 0.4 * torch.randn(640, 20)
    shapes = DataLoader(leaves, batch_size=32, shuffle=True)
    names = DataLoader(species, batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 8))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        right = 0
        for leaf, name in zip(shapes, names):
            scores = model(leaf)
            loss = F.cross_entropy(scores, name)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += int((scores.argmax(1) == name).sum())
        print(f"epoch {epoch} loss {loss.item():.3f} right {right / len(species):.3f}")


if __name__ == "__main__":
    main()
