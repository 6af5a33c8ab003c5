"""Ranks with files of different length; whoever is done first waits. Start with torchrun."""
import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    model = DDP(nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    g = torch.Generator().manual_seed(50 + rank)
    lines = torch.randn(640 + 160 * rank, 6, generator=g)
    for epoch in range(4):
        order = torch.randperm(len(lines), generator=g)
        with Join([model]):
            for rows in order.split(32):
                x = lines[rows]
                loss = nn.functional.mse_loss(model(x), x[:, :2].sum(1, keepdim=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
