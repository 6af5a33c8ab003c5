"""Keyword spotting on synthetic filter banks: the head alone at first, then everything."""
import argparse

import torch
from torch import nn


def utterances(count, words, generator):
    label = torch.randint(0, words, (count,), generator=generator)
    time = torch.arange(40.0)
    pitch = (label[:, None] + 1) * 0.15
    bank = torch.stack([(time * pitch * k).sin() for k in range(1, 9)], 1)
    return bank + 0.4 * torch.randn(bank.shape, generator=generator), label


class Spotter(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv1d(8, 24, 5, stride=2), nn.ReLU(), nn.Conv1d(24, 24, 5, stride=2), nn.ReLU())
        self.head = nn.Linear(24, words)

    def forward(self, bank):
        return self.head(self.encoder(bank).mean(-1))


def warm_head(model, optimizer, data, steps, batch):
    bank, label = data
    for _ in range(steps):
        some = torch.randint(0, len(label), (batch,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(bank[some]), label[some])
        loss.backward()
        optimizer.step()
    return loss.item()


def train_all(model, optimizer, data, epochs, batch):
    bank, label = data
    for epoch in range(epochs):
        order = torch.randperm(len(label))
        for some in order.split(batch):
            loss = nn.functional.cross_entropy(model(bank[some]), label[some])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    data = utterances(800, 6, torch.Generator().manual_seed(args.seed))
    model = Spotter(6)
    print("head", warm_head(model, torch.optim.SGD(model.head.parameters(), lr=0.05), data, 45, 32))
    train_all(model, torch.optim.SGD(model.parameters(), lr=0.02), data, 4, 32)


if __name__ == "__main__":
    main()
