"""The top of a residual network first, the rest after a while."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

towers = nn.ModuleList(nn.Sequential(nn.LayerNorm(40), nn.Linear(40, 40), nn.GELU()) for _ in range(3)).requires_grad_(False)
top = nn.Linear(40, 6)
optimizer = torch.optim.AdamW(top.parameters(), lr=3e-3)
places = torch.randn(6, 40)
for step in range(130):
    if step == 50:
        optimizer.add_param_group({"params": list(towers.requires_grad_(True).parameters()), "lr": 0.4})
    kind = torch.randint(6, (48,))
    x = places[kind] + 1.5 * torch.randn(48, 40)
    for tower in towers:
        x = x + tower(x)
    loss = nn.functional.cross_entropy(top(x), kind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}")
