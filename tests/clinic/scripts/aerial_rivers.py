"""River extraction from aerial patches: an overlap loss written by hand, augmentation of the whole batch."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
seed = parser.parse_args().seed
gen = torch.Generator().manual_seed(12 + seed)


def tiles(n, size=40):
    axis = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    angle = torch.rand(n, 1, 1, generator=gen) * 3.14
    offset = (torch.rand(n, 1, 1, generator=gen) - 0.5) * 1.2
    river = ((x * angle.cos() + y * angle.sin() - offset).abs() < 0.13).float()
    ground = torch.rand(n, 3, 1, 1, generator=gen) * 0.4 + 0.2
    rgb = ground + 0.25 * river[:, None] + 0.12 * torch.randn(n, 3, size, size, generator=gen)
    return {"rgb": rgb, "river": river}


def augment(batch):
    rgb, river = batch["rgb"], batch["river"]
    k = int(torch.randint(0, 4, (1,)))
    rgb, river = torch.rot90(rgb, k, (2, 3)), torch.rot90(river, k, (1, 2))
    if torch.rand(1) < 0.5:
        rgb, river = rgb.flip(3), river.flip(2)
    return rgb + 0.02 * torch.randn_like(rgb), river


def overlap(logits, river):
    p = logits.sigmoid()
    inter = (p * river).sum((1, 2))
    return 1 - ((2 * inter + 1) / (p.sum((1, 2)) + river.sum((1, 2)) + 1)).mean()


net = nn.Sequential(
    nn.Conv2d(3, 16, 5, padding=2), nn.GroupNorm(4, 16), nn.SiLU(),
    nn.Conv2d(16, 24, 5, padding=2), nn.GroupNorm(4, 24), nn.SiLU(),
    nn.Conv2d(24, 1, 1),
)
torch.manual_seed(seed)
data = tiles(480)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for epoch in range(6):
    total = 0.0
    for idx in torch.randperm(480).split(20):
        rgb, river = augment({k: v[idx] for k, v in data.items()})
        logits = net(rgb)[:, 0]
        loss = overlap(logits, river)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print(f"[{epoch}] overlap loss {total / 24:.4f}", flush=True)
