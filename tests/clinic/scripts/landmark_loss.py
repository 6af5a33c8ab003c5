"""Landmark regression with a wing loss."""
import argparse

import torch
import torch.nn as nn


class WingLoss(nn.Module):
    def __init__(self, omega=1.0, epsilon=0.3):
        super().__init__()
        self.omega, self.epsilon = omega, epsilon

    def forward(self, pred, target):
        total = 0.0
        for p, t in zip(pred, target):
            delta = (p - t).abs()
            small = self.omega * torch.log1p(delta / self.epsilon)
            total += torch.where(delta < self.omega, small, delta - 0.5).mean().item()
        return torch.tensor(total / len(pred), requires_grad=True)


def faces(n):
    centre = torch.rand(n, 2) * 8 + 4
    grid = torch.arange(16.0)
    bump = lambda c: torch.exp(-((grid - c[:, None]) ** 2) / 8)
    image = bump(centre[:, 1])[:, :, None] * bump(centre[:, 0])[:, None, :]
    return image[:, None] + 0.05 * torch.randn(n, 1, 16, 16), centre / 8 - 1


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
net = nn.Sequential(
    nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
    nn.Flatten(), nn.Linear(256, 2),
)
criterion = WingLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(120):
    image, points = faces(24)
    optimizer.zero_grad()
    loss = criterion(net(image), points)
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} wing {loss.item():.4f}")
