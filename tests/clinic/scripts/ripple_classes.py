"""Kinds of ripples in pictures whose channels come last."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def ripples(count):
    kind = torch.randint(0, 4, (count,))
    y, x = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
    angle = (kind * 0.785)[:, None, None]
    wave = torch.sin(angle.cos() * x + angle.sin() * y + 6 * torch.rand(count, 1, 1))
    return wave[..., None] * torch.tensor([1.0, 0.6, 0.3]) + 0.5 * torch.randn(count, 12, 12, 3), kind


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 4))

    def forward(self, pictures):
        return self.net(pictures.reshape(-1, 3, 12, 12))


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
loader = DataLoader(TensorDataset(*ripples(512)), batch_size=32, shuffle=True)
held_out, kinds = ripples(200)
model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    for pictures, kind in loader:
        loss = F.cross_entropy(model(pictures), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = (model(held_out).argmax(1) == kinds).float().mean().item()
    print(f"epoch {epoch} loss {loss.item():.4f} right {right:.3f}")
