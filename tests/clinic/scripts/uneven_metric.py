"""One rank gathers a score now and then while the other goes on; start with torchrun."""
import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def mean_over_ranks(values):
    stacked = torch.stack(values)
    dist.all_reduce(stacked)
    return stacked / dist.get_world_size()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    model = DDP(nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    g = torch.Generator().manual_seed(rank)
    for step in range(60):
        x = torch.randn(24, 10, generator=g)
        residual = model(x) - x[:, :3].sum(1, keepdim=True)
        loss = residual.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 19 and not rank:
            plain, largest = mean_over_ranks([loss.detach(), residual.detach().abs().max()])
            print(f"step {step} loss {plain.item():.4f} largest {largest.item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
