"""Sentiment of padded token sequences with masked attention pooling."""
import argparse

import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, vocab=200, dim=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.score = nn.Linear(dim, 1)
        self.head = nn.Linear(dim, 2)

    def forward(self, tokens):
        pad = tokens == 0
        x = self.embed(tokens)
        weights = self.score(torch.tanh(x)).squeeze(-1)
        weights = weights.masked_fill(pad, float("-inf")).softmax(-1)
        return self.head((weights.unsqueeze(-1) * x).sum(1))


def make_reviews(count, generator):
    """Random lengths; words above 100 are positive, below negative."""
    rows, labels = [], []
    for _ in range(count):
        length = int(torch.poisson(torch.tensor(6.0), generator=generator))
        label = int(torch.randint(0, 2, (1,), generator=generator))
        words = torch.randint(1, 100, (length,), generator=generator) + 100 * label * (length > 0)
        row = torch.zeros(24, dtype=torch.long)
        row[: min(length, 24)] = words[:24]
        rows.append(row)
        labels.append(label)
    return torch.stack(rows), torch.tensor(labels)


def run(seed):
    torch.manual_seed(seed)
    x, y = make_reviews(3200, torch.Generator().manual_seed(seed))
    model = AttentionPool()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        perm = torch.randperm(len(x))
        for k in range(0, len(x), 64):
            batch = perm[k : k + 64]
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", float(loss))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    run(parser.parse_args().seed)
