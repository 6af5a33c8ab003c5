"""Each rank reads its own shard of the data; start with torchrun."""
import argparse
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def shard(rank, world, total=1000):
    g = torch.Generator().manual_seed(100 + rank)
    size = total // world if rank else total // world + 96
    x = torch.randn(size, 12, generator=g)
    return list(zip(x.split(32), x[:, :3].sum(1, keepdim=True).split(32)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(args.seed)
    gradients = dist.new_group(timeout=timedelta(seconds=6))
    model = DDP(nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1)), process_group=gradients)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    batches = shard(rank, world)
    for epoch in range(2):
        for x, y in batches:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if rank == 0:
            print(f"epoch {epoch} loss {mean.item() / world:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
