"""Forty compounds in training and sixty held out, all of each in every step."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    features = torch.randn(100, 12)
    active = features[:, :3].sum(1) + 0.2 * torch.randn(100)
    seen, unseen = features[:40], features[40:]
    known, hidden = active[:40], active[40:]
    model = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Dropout(0.2), nn.Linear(24, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.05)
    for step in range(200):
        loss = F.mse_loss(model(seen).squeeze(1), known)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            model.eval()
            with torch.no_grad():
                print(f"step {step} train {loss.item():.3f} held out {F.mse_loss(model(unseen).squeeze(1), hidden).item():.3f}")
            model.train()


if __name__ == "__main__":
    main()
