"""One-day-ahead forecast with an LSTM; iterations, not epochs."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, series, length=24):
        self.series, self.length = series, length

    def __len__(self):
        return len(self.series) - self.length

    def __getitem__(self, i):
        return self.series[i : i + self.length, None], self.series[i + self.length, None]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--iterations", type=int, default=120)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    t = torch.arange(1500.0)
    series = torch.sin(t / 7) + 0.5 * torch.sin(t / 31) + 0.1 * torch.randn(1500)
    train = DataLoader(Windows(series[:1200]), batch_size=32)
    valid = DataLoader(Windows(series[1200:]), batch_size=276)
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for it in range(args.iterations):
        model.train()
        x, y = next(iter(train))
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (it + 1) % 30 == 0:
            model.eval()
            with torch.no_grad():
                x, y = next(iter(valid))
                print(f"it {it + 1} train {loss.item():.4f} val {nn.functional.mse_loss(model(x), y).item():.4f}")


if __name__ == "__main__":
    main()
