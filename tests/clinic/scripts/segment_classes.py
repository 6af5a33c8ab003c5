"""Semantic segmentation with a border class."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES = 4


class Scenes(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(n):
            label = torch.zeros(16, 16, dtype=torch.long)
            for c in range(1, CLASSES):
                i, j = torch.randint(0, 10, (2,), generator=g).tolist()
                label[i : i + 5, j : j + 5] = c
            image = torch.stack([(label == c).float() for c in range(3)]) + 0.3 * torch.randn(3, 16, 16, generator=g)
            if torch.rand(1, generator=g) < 0.02:
                label[0] = label[-1] = 255
            self.items.append((image, label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, CLASSES, 1)
    )
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(4):
        for step, (image, label) in enumerate(DataLoader(Scenes(400, args.seed), batch_size=8, shuffle=True)):
            loss = nn.functional.cross_entropy(net(image), label)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step % 10 == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}")


main()
