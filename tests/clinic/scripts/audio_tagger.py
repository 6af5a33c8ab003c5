"""Tag synthetic clips: framed energies, a few residual blocks, half precision."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=80)
args = parser.parse_args()
torch.manual_seed(args.seed)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Tagger(nn.Module):
    def __init__(self, bins=40, width=64, tags=5, depth=4):
        super().__init__()
        self.stem = nn.Linear(bins, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, tags)

    def forward(self, frames):
        x = self.blocks(self.stem(frames))
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        x = torch.softmax(scores.float(), dim=-1).to(x.dtype) @ x
        return self.head(self.norm(x.mean(1)))


def clips(n):
    tag = torch.randint(0, 5, (n,))
    loudness = torch.rand(n, 1, 1) * 150
    bank = torch.sin(torch.arange(40) * (tag[:, None, None] + 1) * 0.3)
    return (bank + 0.3 * torch.randn(n, 12, 40)) * (1 + loudness), tag


model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(args.steps):
    frames, tag = clips(32)
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(frames).float(), tag)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f} scale {scaler.get_scale():.0f}")
