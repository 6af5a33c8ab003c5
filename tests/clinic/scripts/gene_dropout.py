"""Expression profiles: many features, heavy dropout, batch norm, early stopping on validation loss."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Profile(nn.Module):
    def __init__(self, genes, classes):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(genes, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, classes),
        )

    def forward(self, x):
        return self.net(x)


@torch.no_grad()
def validate(model, loader, criterion):
    loss = hits = 0.0
    for x, y in loader:
        out = model(x)
        loss += criterion(out, y).item() * len(y)
        hits += (out.argmax(1) == y).sum().item()
    return loss / len(loader.dataset), hits / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    centres = torch.randn(4, 80) * 0.6
    y = torch.randint(0, 4, (1500,))
    train, valid = random_split(TensorDataset(centres[y] + torch.randn(1500, 80), y), [1200, 300])
    train_loader = DataLoader(train, batch_size=40, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=30)
    model, criterion = Profile(80, 4), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    best = float("inf")
    for epoch in range(6):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        val_loss, val_acc = validate(model, valid_loader, criterion)
        print(f"epoch {epoch} train {loss.item():.4f} val {val_loss:.4f} acc {val_acc:.3f}{' *' if val_loss < best else ''}")
        best = min(best, val_loss)


if __name__ == "__main__":
    main()
