"""A recurrent layer that stays as it was drawn, and a readout that learns."""
import argparse

import torch
from torch import nn


class Echo(nn.Module):
    def __init__(self, size=50):
        super().__init__()
        self.into, self.over = nn.Linear(1, size), nn.Linear(size, size, bias=False)
        for p in self.parameters():
            p.requires_grad_(False)
        self.readout = nn.Linear(size, 1)

    def forward(self, signal):
        state = signal.new_zeros(len(signal), self.over.in_features)
        for t in range(signal.shape[1]):
            state = torch.tanh(self.into(signal[:, t]) + self.over(state))
        return self.readout(state)


def waves(count, length=24):
    start, speed = 20 * torch.rand(count, 1), 0.2 + 0.2 * torch.rand(count, 1)
    wave = torch.sin(start + speed * torch.arange(length + 1))
    return wave[:, :-1].unsqueeze(-1), wave[:, -1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    net = Echo()
    optimizer = torch.optim.Adam(net.readout.parameters(), lr=5e-3)
    for step in range(400):
        signal, following = waves(48)
        loss = nn.functional.mse_loss(net(signal), following)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step} mse {loss.item():.5f}", flush=True)


if __name__ == "__main__":
    main()
