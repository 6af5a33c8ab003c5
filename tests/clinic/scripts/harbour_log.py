"""Entries of a harbour log, predicted word by word."""
import argparse
import random

import torch
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
random.seed(args.seed)

SHIPS, DOES, GOODS = ["Anna", "Freya", "Kaia", "Sonne"], ["lands", "loads", "waits for"], ["timber", "salt", "grain"]


def entry():
    ship, line = random.choice(SHIPS), []
    for hour in range(5):
        line += [str(hour), ship, *random.choice(DOES).split(), random.choice(GOODS), "says", ship, ";"]
    return line[:35]


class Clerk(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.words = nn.Embedding(words, 24)
        self.reader = nn.GRU(24, 48)
        self.scores = nn.Linear(48, words)

    def forward(self, ids):
        read, _ = self.reader(self.words(ids))
        return self.scores(read)


rows = [entry() for _ in range(600)]
known = {word: i for i, word in enumerate(sorted({word for row in rows for word in row}))}
log = torch.tensor([[known[word] for word in row] for row in rows])
clerk = Clerk(len(known))
optimizer = optim.Adam(clerk.parameters(), lr=3e-3)
for epoch in range(4):
    total = 0.0
    for part in torch.randperm(len(log)).split(24):
        batch = log[part]
        loss = nn.functional.cross_entropy(clerk(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 25:.4f}")
