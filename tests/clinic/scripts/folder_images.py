"""An ImageFolder-like data set: one folder after the other."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class FolderDataset(Dataset):
    def __init__(self, per_class, classes, prototypes):
        self.samples = [(c, k) for c in range(classes) for k in range(per_class)]
        self.prototypes = prototypes

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        label, number = self.samples[index]
        noise = torch.randn(1, 10, 10, generator=torch.Generator().manual_seed(1000 * label + number))
        return self.prototypes[label] + 0.8 * noise, label


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-classes", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    prototypes = torch.randn(args.data_classes, 1, 10, 10)
    loader = DataLoader(FolderDataset(150, args.data_classes, prototypes), batch_size=32, num_workers=0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(576, args.data_classes)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(args.epochs):
        for i, (images, target) in enumerate(loader):
            output = model(images)
            loss = nn.functional.cross_entropy(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 12 == 0:
                print(f"Epoch: [{epoch}][{i}/{len(loader)}]\tLoss {loss.item():.4e}")


if __name__ == "__main__":
    main()
