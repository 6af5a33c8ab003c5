"""Adding problem with a hand-written recurrent cell."""
import argparse

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.ih = nn.Linear(inputs, hidden)
        self.hh = nn.Linear(hidden, hidden, bias=False)
        nn.init.normal_(self.hh.weight, std=0.26)

    def forward(self, x, h):
        return torch.relu(self.ih(x) + self.hh(h))


class Net(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.hidden = hidden
        self.cell = Cell(2, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, seq):
        h = seq.new_zeros(seq.size(0), self.hidden)
        for t in range(seq.size(1)):
            h = self.cell(seq[:, t], h)
        return self.out(h)


def batch(n, length):
    values = torch.rand(n, length)
    marks = torch.zeros(n, length)
    for row in marks:
        row[torch.randperm(length)[:2]] = 1
    return torch.stack([values, marks], -1), (values * marks).sum(1, keepdim=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--length", type=int, default=160)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = Net()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(40):
        x, y = batch(16, args.length)
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 5 == 0:
            print(f"[{step}] loss={loss.item()}")


main()
