"""Train a matrix factorisation from ratings."""
import argparse

import torch
from torch import nn


class MF(nn.Module):
    def __init__(self, users, items, k=16):
        super().__init__()
        self.user, self.item = nn.Embedding(users, k), nn.Embedding(items, k)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(1)
        return dot + self.user_bias(u).squeeze(1) + self.item_bias(i).squeeze(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=1e-6)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    a, b = torch.randn(200, 4), torch.randn(300, 4)
    model = MF(200, 300)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for step in range(300):
        u, i = torch.randint(0, 200, (256,)), torch.randint(0, 300, (256,))
        loss = nn.functional.mse_loss(model(u, i), (a[u] * b[i]).sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} mse {loss.item():.4f}")
