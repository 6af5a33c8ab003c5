"""Freeze a feature extractor and train what sits on top of it."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(30, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.neck = nn.LayerNorm(width)

    def forward(self, x):
        return self.neck(self.features(x))


class Classifier(nn.Module):
    def __init__(self, backbone, classes, width=64):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


def freeze(model, keep=("neck",)):
    for name, p in model.named_parameters():
        p.requires_grad_(any(k in name for k in keep))


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    model.train()
    return hits / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    centres = torch.randn(10, 30)
    y = torch.randint(0, 10, (1500,))
    x = centres[y] + 0.7 * torch.randn(1500, 30)
    train = DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=40, shuffle=True)
    test = DataLoader(TensorDataset(x[1200:], y[1200:]), batch_size=300)
    model = Classifier(Backbone(), 10)
    freeze(model)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    for epoch in range(5):
        for xb, yb in train:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f} accuracy {accuracy(model, test):.3f}")


if __name__ == "__main__":
    main()
