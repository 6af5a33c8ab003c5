"""Train a head on a frozen, pretrained convolutional backbone."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
    )


class Transfer(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.features = features
        for p in self.features.parameters():
            p.requires_grad = False
        self.classifier = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, classes))

    def train(self, mode=True):
        super().train(mode)
        self.features.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            h = self.features(x)
        return self.classifier(h)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    kinds = torch.randn(6, 1, 12, 12)
    y = torch.randint(0, 6, (960,))
    data = TensorDataset(kinds[y] + 0.5 * torch.randn(960, 1, 12, 12), y)
    model = Transfer(backbone(), 6)
    optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=3e-3)
    for epoch in range(5):
        model.train()
        for x, target in DataLoader(data, batch_size=32, shuffle=True):
            loss = nn.functional.cross_entropy(model(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", round(loss.item(), 4))


if __name__ == "__main__":
    main()
