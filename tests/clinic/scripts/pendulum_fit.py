"""Fit a pendulum's acceleration from simulated trajectories."""
import argparse
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pendulum(Dataset):
    def __init__(self, n, seed):
        rng = torch.Generator().manual_seed(seed)
        angles = (torch.rand(n, generator=rng) * 2 - 1).tolist()
        self.rows = [(a, math.cos(a), math.sin(a)) for a in angles]
        self.accelerations = [-9.81 * math.sin(a) for a in angles]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i], self.accelerations[i]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        for state, acceleration in DataLoader(Pendulum(960, args.seed), batch_size=32, shuffle=True):
            loss = criterion(model(torch.stack(state, dim=1)).squeeze(1), acceleration.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", loss.item())
