"""Multi-label tagging of synthetic embeddings."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, random_split, TensorDataset


class Tagger(nn.Sequential):
    def __init__(self, dim, tags):
        super().__init__(
            nn.Linear(dim, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, tags), nn.Sigmoid()
        )


def f1(probabilities, truth, threshold=0.5):
    guess = probabilities > threshold
    hit = (guess & truth.bool()).sum().item()
    return 2 * hit / max(1, guess.sum().item() + int(truth.sum().item()))


def main(seed, epochs=5):
    torch.manual_seed(seed)
    x = torch.randn(2400, 24)
    directions = torch.randn(24, 12)
    tags = ((x @ directions) > 3.0).float()
    train, valid = random_split(TensorDataset(x, tags), [2000, 400])
    model = Tagger(24, 12)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        model.train()
        for features, truth in DataLoader(train, batch_size=50, shuffle=True):
            optimizer.zero_grad()
            loss = criterion(model(features), truth)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            features, truth = next(iter(DataLoader(valid, batch_size=400)))
            out = model(features)
            print(f"epoch {epoch} valid loss {criterion(out, truth):.4f} f1 {f1(out, truth):.3f}")


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--seed", type=int, default=5)
    main(cli.parse_args().seed)
