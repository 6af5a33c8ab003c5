"""Sparse embeddings with SparseAdam beside a dense optimizer."""
import argparse

import torch
from torch import nn


class Recommender(nn.Module):
    def __init__(self, users=60, items=50, d=16):
        super().__init__()
        self.users, self.items = nn.Embedding(users, d, sparse=True), nn.Embedding(items, d, sparse=True)
        self.tower = nn.Sequential(nn.Linear(2 * d, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, u, i):
        return self.tower(torch.cat([self.users(u), self.items(i)], 1)).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    taste, kind = torch.randint(0, 4, (60,)), torch.randint(0, 4, (50,))
    model = Recommender()
    sparse = torch.optim.SparseAdam([*model.users.parameters(), *model.items.parameters()], lr=2e-2)
    dense = torch.optim.Adam(model.tower.parameters(), lr=5e-3)
    for step in range(200):
        u, i = torch.randint(0, 60, (128,)), torch.randint(0, 50, (128,))
        y = (taste[u] == kind[i]).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model(u, i), y, pos_weight=torch.tensor(3.0))
        for optimizer in (sparse, dense):
            optimizer.zero_grad()
        loss.backward()
        for optimizer in (sparse, dense):
            optimizer.step()
        if step % 40 == 0:
            print(f"step {step} loss {loss.item():.4f}")


main()
