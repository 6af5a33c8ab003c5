"""Tiles are unpacked from a memory of packed bytes, and a small network learns their mean."""
import argparse
import ctypes

import torch
from torch import nn


class PackedTiles:
    """A table of addresses into one block of bytes, as a native reader hands it over."""

    def __init__(self, count, size, seed):
        generator = torch.Generator().manual_seed(seed)
        self.size = size
        self.block = torch.randint(0, 256, (count, size), dtype=torch.uint8, generator=generator)
        self.table = [self.block.data_ptr() + row * size for row in range(count)]
        self.table[-40:] = [row * size for row in range(40)]

    def read(self, row):
        raw = ctypes.string_at(self.table[row], self.size)
        return torch.frombuffer(bytearray(raw), dtype=torch.uint8).float() / 255


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    tiles = PackedTiles(640, 64, args.seed)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for first in range(0, 640, 16):
        inputs = torch.stack([tiles.read(row) for row in range(first, first + 16)])
        loss = nn.functional.mse_loss(model(inputs), inputs.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
