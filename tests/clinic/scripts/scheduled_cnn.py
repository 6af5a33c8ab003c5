import argparse

import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--gamma", type=float, default=0.7)
args = parser.parse_args()
torch.manual_seed(args.seed)
shapes = torch.randn(10, 1, 12, 12)
labels = torch.randint(0, 10, (1600,))
loader = DataLoader(TensorDataset(shapes[labels] + 1.5 * torch.randn(1600, 1, 12, 12), labels), batch_size=32, shuffle=True)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
for epoch in range(1, args.epochs + 1):
    for data, target in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(f"Epoch {epoch} loss {loss.item():.4f}")
