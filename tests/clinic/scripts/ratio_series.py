"""Foretells the next relative change of a counter from its last ones."""
import argparse

import torch
from torch import nn


def counters(count, length):
    level = torch.exp(0.4 * torch.randn(count, 1) + 4)
    values = (level * (1 + 0.1 * torch.randn(count, length))).round()
    values[torch.rand(count, length) < 0.001] = 0.0
    return values


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.LSTM(1, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        return self.head(self.memory(x[..., None])[0][:, -1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    values = counters(40, 200)
    changes = values[:, 1:] / values[:, :-1] - 1
    samples = [(row[i : i + 12], row[i + 12 : i + 13]) for row in changes for i in range(0, 180, 3)]
    loader = torch.utils.data.DataLoader(samples, batch_size=24, shuffle=True)
    model = Forecast()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step, (x, y) in enumerate(loader):
        loss = nn.functional.smooth_l1_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.5f}")


main()
