"""Soft assignment of embeddings to each other over the full data set."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--points", type=int, default=1_500_000)
args = parser.parse_args()
torch.manual_seed(args.seed)
points = torch.randn(args.points, 2)
encoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for step in range(30):
    subset = points if step == 25 else points[torch.randint(0, len(points), (512,))]
    z = encoder(subset)
    affinity = torch.softmax(-(z @ z.t()), dim=1)
    target = torch.softmax(-(subset[:512] @ subset[:512].t()), dim=1)
    loss = nn.functional.mse_loss(affinity[:512, :512], target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        print(step, loss.item())
