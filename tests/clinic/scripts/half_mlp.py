"""Mixed precision with clipping."""
import argparse

import torch
from torch import nn


def data(n, w):
    x = torch.randn(n, 20)
    return x, (x @ w).argmax(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max_norm", type=float, default=1.0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    w = torch.randn(20, 5)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=8192.0)
    for step in range(200):
        x, y = data(64, w)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.max_norm)
        scaler.step(optimizer)
        scaler.update()
        if step % 25 == 0:
            print(f"step {step:3d} loss {loss.item():.4f} acc {(out.argmax(1) == y).float().mean():.2f}")


if __name__ == "__main__":
    main()
