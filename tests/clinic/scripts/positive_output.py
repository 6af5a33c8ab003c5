"""Regression of standardised returns."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Returns(nn.Module):
    def __init__(self, inputs=12, hidden=48):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.ReLU()
        )

    def forward(self, x):
        return self.model(x)


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
x = torch.randn(2000, 12)
y = x @ torch.randn(12, 1) + 0.1 * torch.randn(2000, 1)
y = (y - y.mean()) / y.std()
loader = DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True)
net = Returns()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
