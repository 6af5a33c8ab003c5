"""SimCLR on vectors: two noisy views, NT-Xent loss."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


def nt_xent(a, b, temperature=0.2):
    z = F.normalize(torch.cat([a, b]), dim=1)
    n = len(a)
    sim = z @ z.t() / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    target = torch.arange(2 * n).roll(n)
    return F.cross_entropy(sim, target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    encoder = nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32))
    projector = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16))
    optimizer = torch.optim.SGD([*encoder.parameters(), *projector.parameters()], lr=0.1, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 150)
    mixing = torch.randn(6, 32)
    for step in range(150):
        x = torch.randn(64, 6) @ mixing
        views = [x + 0.4 * torch.randn_like(x) for _ in range(2)]
        loss = nt_xent(*(projector(encoder(v)) for v in views))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 30 == 0:
            print(f"step {step} nt-xent {loss.item():.4f}")
