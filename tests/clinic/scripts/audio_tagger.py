"""Tag synthetic clips: residual blocks over frames, attention pooling, half precision."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=60)
args = parser.parse_args()
torch.manual_seed(args.seed)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Tagger(nn.Module):
    def __init__(self, bins=20, width=48, tags=5):
        super().__init__()
        self.stem = nn.Linear(bins, width)
        self.blocks = nn.Sequential(Block(width), Block(width))
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.head = nn.Linear(width, tags)

    def forward(self, frames):
        x = self.blocks(self.stem(frames))
        weights = torch.exp(self.query(x.mean(1, keepdim=True)) @ self.key(x).transpose(1, 2))
        clip = (weights / weights.sum(-1, keepdim=True)) @ x
        return self.head(clip.squeeze(1))


def clips(n):
    """Normalised frames; clips of one to three seconds."""
    tag = torch.randint(0, 5, (n,))
    bank = 2 * torch.sin(torch.arange(20) * (tag[:, None, None] + 1) * 0.3)
    frames = int(torch.randint(16, 48, (1,)))
    return (bank + torch.randn(n, frames, 20)) / 1.7, tag


model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(args.steps):
    frames, tag = clips(8)
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(frames).float(), tag)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f} scale {scaler.get_scale():.3g}")
