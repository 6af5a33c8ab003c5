"""Dense object scores on a grid, in the manner of a one-stage detector."""
import argparse
import math

import torch
from torch import nn
import torch.nn.functional as F


def prior_bias(module, pi=0.01):
    if isinstance(module, nn.Conv2d):
        nn.init.normal_(module.weight, std=0.05)
        nn.init.constant_(module.bias, -math.log((1 - pi) / pi))


class Detector(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.tower = nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1), nn.ReLU())
        self.cls_logits = nn.Conv2d(c, 1, 3, padding=1)
        self.apply(prior_bias)

    def forward(self, x):
        return self.cls_logits(self.tower(self.backbone(x)))


def scenes(n):
    images = 0.3 * torch.randn(n, 3, 16, 16)
    target = torch.zeros(n, 1, 8, 8)
    for k in range(n):
        for i, j in torch.randint(0, 8, (6, 2)).tolist():
            images[k, :, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2] += 1.5
            target[k, 0, i, j] = 1
    return images, target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = Detector()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for it in range(100):
        images, target = scenes(8)
        loss = F.binary_cross_entropy_with_logits(model(images), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if it % 20 == 0:
            print(f"it {it} cls {loss.item():.4f}")


if __name__ == "__main__":
    main()
