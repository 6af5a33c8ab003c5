"""A small denoising model, trained with accumulated micro-batches."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader


class Denoiser(nn.Module):
    def __init__(self, dim=16, width=96):
        super().__init__()
        self.time = nn.Linear(1, width)
        self.inp = nn.Linear(dim, width)
        self.body = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, dim))

    def forward(self, x, t):
        return self.body(self.inp(x) + self.time(t))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=2)
    p.add_argument("--global-batch", type=int, default=64)
    p.add_argument("--micro-batch", type=int, default=8)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    accum = args.global_batch // args.micro_batch
    data = torch.randn(2048, 4) @ torch.randn(4, 16)
    loader = DataLoader(data, batch_size=args.micro_batch, shuffle=True, drop_last=True)
    model = Denoiser()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    step = 0
    for epoch in range(3):
        for i, x in enumerate(loader):
            opt.zero_grad(set_to_none=True)
            t = torch.rand(len(x), 1)
            noise = torch.randn_like(x)
            loss = ((model((1 - t) * x + t * noise, t) - (noise - x)) ** 2).mean() / accum
            loss.backward()
            if (i + 1) % accum == 0:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                step += 1
                if step % 10 == 0:
                    print(f"step={step} loss={loss.item() * accum:.4f}")


if __name__ == "__main__":
    main()
