"""Predict energy use from weather, with a hand-written loss."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Weather(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 8)
        self.y = 2 * self.x[:, 0] + self.x[:, 1] * self.x[:, 2] + 0.1 * torch.randn(n)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def rmse_squared(prediction, target):
    return ((prediction - target) ** 2).mean()


def fit(model, loader, epochs, lr):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        losses = []
        for x, y in loader:
            loss = rmse_squared(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch:02d} mse {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    network = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    fit(network, DataLoader(Weather(1600), batch_size=32, shuffle=True), epochs=5, lr=3e-3)
