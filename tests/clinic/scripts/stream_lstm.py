"""Stateful LSTM over a stream, hidden state carried between batches."""
import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, x, state):
        y, state = self.rnn(x, state)
        return self.out(y), state


def repackage(state):
    return tuple(s.detach() for s in state) if state is not None else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    t = torch.arange(901.0)[:, None] + torch.randint(0, 60, (1, 16))
    signal = (torch.sin(t / 6) * torch.cos(t / 23)).unsqueeze(-1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        state, total = None, 0.0
        for i in range(0, 900, 30):
            prediction, state = model(signal[i : i + 30], repackage(state))
            loss = nn.functional.mse_loss(prediction, signal[i + 1 : i + 31])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} mse {total / 30:.5f}")


if __name__ == "__main__":
    main()
