"""Two-tower retrieval: train, then embed the corpus to report recall."""
import argparse

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, inputs, width=128):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 32))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)


def evaluate(query_tower, item_tower, queries, items):
    query_tower.eval()
    item_tower.eval()
    query_vectors, item_vectors = [], []
    for q, i in zip(queries.split(128), items.split(128)):
        query_vectors.append(query_tower(q))
        item_vectors.append(item_tower(i))
    scores = torch.cat(query_vectors) @ torch.cat(item_vectors).t()
    query_tower.train()
    item_tower.train()
    return (scores.argmax(1) == torch.arange(len(scores))).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    latent = torch.randn(3000, 8)
    queries = latent @ torch.randn(8, 24) + 0.1 * torch.randn(3000, 24)
    items = latent @ torch.randn(8, 40) + 0.1 * torch.randn(3000, 40)
    q, d = Tower(24), Tower(40)
    optimizer = torch.optim.AdamW([*q.parameters(), *d.parameters()], lr=1e-3)
    for epoch in range(4):
        for pick in torch.randperm(2000).split(64):
            scores = q(queries[pick]) @ d(items[pick]).t() / 0.1
            loss = nn.functional.cross_entropy(scores, torch.arange(len(pick)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        recall = evaluate(q, d, queries[2000:], items[2000:])
        print(f"epoch {epoch} loss {loss.item():.3f} recall@1 {recall:.3f}")


if __name__ == "__main__":
    main()
