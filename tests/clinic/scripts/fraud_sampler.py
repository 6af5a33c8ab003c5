"""Two percent of positives: a batch sampler that balances, and an honest evaluation."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset


class BalancedBatches(Sampler):
    def __init__(self, labels, batch_size, batches):
        self.groups = [torch.nonzero(labels == c).flatten() for c in (0, 1)]
        self.half, self.batches = batch_size // 2, batches

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            picks = [g[torch.randint(0, len(g), (self.half,))] for g in self.groups]
            yield torch.cat(picks).tolist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    y = (torch.rand(5000) < 0.03).long()
    x = torch.randn(5000, 10) + y[:, None] * torch.randn(10)
    train, test = TensorDataset(x[:4000], y[:4000]), TensorDataset(x[4000:], y[4000:])
    loader = DataLoader(train, batch_sampler=BalancedBatches(y[:4000], 64, 40))
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(4):
        model.train()
        for features, label in loader:
            loss = nn.functional.cross_entropy(model(features), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            features, label = test[:]
            guess = model(features).argmax(1)
            recall = (guess[label == 1] == 1).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.4f} recall {recall:.3f}")


if __name__ == "__main__":
    main()
