"""Members of an ensemble, one for each rank, each on its own share; they meet once at the end."""
import argparse

import torch
import torch.distributed as dist
from torch import nn


def share(rank, seed):
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(960, 10, generator=generator)
    targets = inputs[:, :3].sum(1, keepdim=True).tanh()
    files = [(inputs[n : n + 32], targets[n : n + 32]) for n in range(0, 960, 32)]
    return files if rank == 0 else files[:18]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed + rank)
    files = share(rank, args.seed)
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for number in range(30):
        inputs, targets = files[number]
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    if rank == 0:
        print(f"mean loss {total.item() / dist.get_world_size():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
