"""Trainer object, validation every few iterations."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, train_loader, val_loader, interval):
        self.model, self.train_loader, self.val_loader, self.interval = model, train_loader, val_loader, interval
        self.optim = torch.optim.Adam(model.parameters(), lr=2e-3)
        self.iteration = 0

    def validate(self):
        self.model.eval()
        hits = total = 0
        with torch.no_grad():
            for data, target in self.val_loader:
                hits += (self.model(data).argmax(1) == target).sum().item()
                total += len(target)
        print(f"[val] iteration {self.iteration} accuracy {hits / total:.3f}")

    def train(self, epochs):
        self.model.train()
        for _ in range(epochs):
            for data, target in self.train_loader:
                if self.iteration % self.interval == 0:
                    self.validate()
                loss = nn.functional.cross_entropy(self.model(data), target)
                self.optim.zero_grad()
                loss.backward()
                self.optim.step()
                self.iteration += 1


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    shapes = torch.randn(5, 1, 14, 14)
    y = torch.randint(0, 5, (1000,))
    x = 3.0 + 2.0 * (shapes[y] + torch.randn(1000, 1, 14, 14))
    net = nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 12, 3), nn.BatchNorm2d(12),
        nn.ReLU(), nn.Flatten(), nn.Dropout(0.4), nn.Linear(192, 5),
    )
    train = DataLoader(TensorDataset(x[:800], y[:800]), batch_size=32, shuffle=True)
    val = DataLoader(TensorDataset(x[800:], y[800:]), batch_size=100)
    Trainer(net, train, val, interval=25).train(epochs=5)
