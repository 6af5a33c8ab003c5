"""Keyword spotting on synthetic spectrograms, large effective batch."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader, lr, accumulate):
        self.model, self.loader, self.accumulate = model, loader, accumulate
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for i, (spectrogram, word) in enumerate(self.loader):
            loss = self.criterion(self.model(spectrogram), word) / self.accumulate
            loss.backward()
            if (i + 1) % self.accumulate == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
            total += loss.item() * self.accumulate
        return total / len(self.loader)

    def fit(self, epochs):
        for epoch in range(epochs):
            print(f"epoch {epoch}: train_loss={self.train_epoch():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--accumulate", type=int, default=32)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    templates = torch.randn(6, 1, 20, 16)
    words = torch.randint(0, 6, (960,))
    data = TensorDataset(templates[words] + torch.randn(960, 1, 20, 16), words)
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(192, 6)
    )
    Trainer(net, DataLoader(data, batch_size=32, shuffle=True), 1e-3, args.accumulate).fit(4)
