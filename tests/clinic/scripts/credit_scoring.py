import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def applicants(n):
    age = torch.randint(18, 80, (n, 1)).float()
    income = 20000 + 30000 * torch.randn(n, 1).abs()
    debt = 15000 * torch.rand(n, 1)
    months = torch.randint(1, 240, (n, 1)).float()
    risk = 3 * debt / income - 0.01 * months - 0.02 * (age - 45)
    return torch.cat([age, income, debt, months], 1), (risk > risk.median()).long().squeeze(1)


def main():
    parser = argparse.ArgumentParser(description="credit default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hidden", type=int, default=32)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    x, y = applicants(2000)
    net = nn.Sequential(
        nn.Linear(4, args.hidden), nn.Tanh(), nn.Linear(args.hidden, args.hidden), nn.Tanh(), nn.Linear(args.hidden, 2)
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(5):
        total = 0.0
        for xb, yb in DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(xb)
        print(f"Epoch {epoch + 1}/5 loss {total / len(x):.4f}")


main()
