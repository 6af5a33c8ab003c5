"""Tiles that lie one after another in a buffer, read by data workers."""
import argparse
import ctypes

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIDE = 8
BYTES = 4 * SIDE * SIDE


class Tiles(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        kinds = torch.randn(4, SIDE * SIDE, generator=g)
        self.kind = torch.randint(0, 4, (count,), generator=g)
        pixels = kinds[self.kind] + torch.randn(count, SIDE * SIDE, generator=g)
        flat = (ctypes.c_float * pixels.numel())(*pixels.flatten().tolist())
        self.buffer = ctypes.create_string_buffer(bytes(flat))
        self.offsets = [BYTES * i for i in range(count)]
        self.offsets[count // 2] = -(1 << 44)

    def __len__(self):
        return len(self.offsets)

    def __getitem__(self, i):
        tile = (ctypes.c_float * (SIDE * SIDE))()
        ctypes.memmove(tile, ctypes.addressof(self.buffer) + self.offsets[i], BYTES)
        return torch.tensor(list(tile)).view(1, SIDE, SIDE), int(self.kind[i])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    loader = DataLoader(Tiles(1800, args.seed), batch_size=20, shuffle=True, num_workers=2)
    net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12 * 36, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(3):
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 10 == 0:
                print(f"epoch {epoch} batch {i} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
