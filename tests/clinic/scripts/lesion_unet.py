"""Dice and cross-entropy on small masks, mostly background."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Up(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(inplace=True))

    def forward(self, x, skip):
        return self.conv(torch.cat([F.interpolate(x, scale_factor=2), skip], 1))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        conv = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU(inplace=True))
        self.a, self.b, self.c = conv(1, 8), conv(8, 16), conv(16, 16)
        self.up1, self.up2, self.out = Up(32, 16), Up(24, 8), nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = self.c(F.max_pool2d(b, 2))
        return self.out(self.up2(self.up1(c, b), a))


def dice(logits, mask):
    p = logits.sigmoid().flatten(1)
    m = mask.flatten(1)
    return 1 - ((2 * (p * m).sum(1) + 1) / (p.sum(1) + m.sum(1) + 1)).mean()


def scans(n):
    yy, xx = torch.meshgrid(torch.arange(24), torch.arange(24), indexing="ij")
    cx, cy = torch.randint(3, 21, (2, n, 1, 1))
    mask = (((xx - cx) ** 2 + (yy - cy) ** 2) < 6).float().unsqueeze(1)
    return mask + 0.4 * torch.randn(n, 1, 24, 24), mask


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
net = UNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(70):
    image, mask = scans(8)
    logits = net(image)
    loss = F.binary_cross_entropy_with_logits(logits, mask, pos_weight=torch.tensor(4.0)) + dice(logits, mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}")
