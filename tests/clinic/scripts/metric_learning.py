"""Batch-hard triplets on clustered points."""
import argparse

import torch
import torch.nn as nn


def pairwise_distances(emb):
    dot = emb @ emb.t()
    sq = dot.diag()
    d2 = sq.unsqueeze(0) - 2.0 * dot + sq.unsqueeze(1)
    return torch.sqrt(d2.clamp(min=0))


def batch_hard(emb, labels, margin=0.5):
    dist = pairwise_distances(emb)
    same = labels[:, None] == labels[None, :]
    hardest_pos = (dist * same).max(1).values
    hardest_neg = (dist + same * dist.max().detach()).min(1).values
    return torch.relu(hardest_pos - hardest_neg + margin).mean()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    opt = ap.parse_args()
    torch.manual_seed(opt.seed)
    centres = torch.randn(10, 16) * 2
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8))
    optim = torch.optim.Adam(net.parameters(), lr=1e-3)
    for it in range(100):
        labels = torch.randint(0, 10, (48,))
        points = centres[labels] + 0.3 * torch.randn(48, 16)
        loss = batch_hard(net(points), labels)
        optim.zero_grad()
        loss.backward()
        optim.step()
        if it % 20 == 0:
            print("iter", it, "triplet", loss.item())
