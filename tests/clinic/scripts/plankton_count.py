"""Counts plankton in pictures from a microscope; new pictures come from the camera."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def pictures(count):
    found = 90 + 12 * torch.randn(count, 3, 16, 16)
    number = torch.randint(0, 9, (count,))
    for picture, cells in zip(found, number.tolist()):
        for _ in range(cells):
            y, x = torch.randint(0, 15, (2,)).tolist()
            picture[:, y : y + 2, x : x + 2] = 220
    return found, number.float()


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
seen, numbers = pictures(512)
camera, camera_numbers = pictures(40)
loader = DataLoader(TensorDataset((seen / 255 - 0.45) / 0.22, numbers), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Conv2d(3, 12, 3), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(1728, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(6):
    net.train()
    for picture, number in loader:
        loss = F.mse_loss(net(picture)[:, 0], number)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    error = 0.0
    with torch.no_grad():
        for picture, number in zip(camera, camera_numbers):
            error += (net(picture[None] - 104)[0, 0] - number).abs().item()
    print(f"epoch {epoch} loss {loss.item():.4f} error on new pictures {error / len(camera):.2f}")
