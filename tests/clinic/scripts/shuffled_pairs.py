"""Own mini-batching over two tensors."""
import argparse

import torch
from torch import nn


def minibatches(x, y, size):
    x = x[torch.randperm(len(x))]
    y = y[torch.randperm(len(y))]
    for i in range(0, len(x), size):
        yield x[i : i + size], y[i : i + size]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    centres = torch.randn(7, 20)
    y = torch.randint(0, 7, (2100,))
    x = centres[y] + 0.5 * torch.randn(2100, 20)
    net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 7))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(5):
        total = hits = 0.0
        for xb, yb in minibatches(x, y, 50):
            out = net(xb)
            loss = nn.functional.cross_entropy(out, yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(xb)
            hits += (out.argmax(1) == yb).sum().item()
        print(f"epoch {epoch}: loss {total / len(x):.4f} accuracy {hits / len(x):.3f}")


if __name__ == "__main__":
    main()
