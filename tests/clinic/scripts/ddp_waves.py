"""Two ranks forecast waves; start with torchrun."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Waves(Dataset):
    def __init__(self, count, length, seed):
        generator = torch.Generator().manual_seed(seed)
        phase, speed = torch.rand(2, count, 1, generator=generator)
        noise = 0.05 * torch.randn(count, length + 1, generator=generator)
        self.values = torch.sin(6 * phase + (0.2 + 0.8 * speed) * torch.arange(length + 1)) + noise

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index, :-1, None], self.values[index, -1:]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1])


def train(model, loader, optimizer, epochs):
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        if dist.get_rank() == 0:
            print(f"epoch {epoch} mse {total / len(loader):.5f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    dist.init_process_group("gloo", rank=int(os.environ["RANK"]))
    torch.manual_seed(args.seed)
    data = Waves(1200, 16, args.seed)
    loader = DataLoader(data, batch_size=20, sampler=DistributedSampler(data, shuffle=True))
    model = DDP(Forecaster())
    train(model, loader, torch.optim.Adam(model.parameters(), lr=4e-3), epochs=5)
    dist.destroy_process_group()
