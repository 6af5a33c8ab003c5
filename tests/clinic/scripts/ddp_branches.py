"""Two heads, of which a batch needs one; start with torchrun."""
import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.heads = nn.ModuleDict({"day": nn.Linear(32, 1), "night": nn.Linear(32, 1)})

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    dist.init_process_group(backend="gloo")
    torch.manual_seed(args.seed + dist.get_rank())
    model = DDP(MultiTask())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(60):
        task = "day" if step % 2 else "night"
        x = torch.randn(32, 10)
        loss = (model(x, task) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 and dist.get_rank() == 0:
            print(step, task, loss.item(), flush=True)
    dist.destroy_process_group()
