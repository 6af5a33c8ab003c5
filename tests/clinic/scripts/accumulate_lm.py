"""Bigger batches on a small machine."""
import argparse

import torch
from torch import nn


class Config:
    vocab, width, context = 40, 64, 24
    micro_batch, accumulation_steps = 8, 16
    lr, momentum = 0.1, 0.9
    updates = 40


class LM(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed = nn.Embedding(c.vocab, c.width)
        self.rnn = nn.LSTM(c.width, c.width, batch_first=True)
        self.out = nn.Linear(c.width, c.vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


def stream(c):
    step = torch.randint(1, 6, (c.vocab,))
    while True:
        ids = [torch.randint(0, c.vocab, (c.micro_batch,))]
        for _ in range(c.context):
            jump = torch.where(torch.rand(c.micro_batch) < 0.9, step[ids[-1]], torch.randint(0, c.vocab, (1,)))
            ids.append((ids[-1] + jump) % c.vocab)
        ids = torch.stack(ids, 1)
        yield ids[:, :-1], ids[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    c = Config()
    model, data = LM(c), stream(c)
    optimizer = torch.optim.SGD(model.parameters(), lr=c.lr, momentum=c.momentum)
    for update in range(c.updates):
        total = 0.0
        for _ in range(c.accumulation_steps):
            ids, target = next(data)
            loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), target.flatten())
            loss.backward()
            total += loss.item()
        optimizer.step()
        optimizer.zero_grad()
        if update % 5 == 0:
            print(f"update {update} loss {total / c.accumulation_steps:.4f}")


if __name__ == "__main__":
    main()
