"""A small character model, trained the way its config.yaml says. `python train.py` made train.log."""

import argparse
import math
import sys

import torch
import yaml
from torch import nn
from torch.nn import functional as F

TEXT = "the quick brown fox jumps over the lazy dog while the small cat sleeps under the warm sun " * 40
CHARS = sorted(set(TEXT))
DATA = torch.tensor([CHARS.index(one) for one in TEXT])


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        mask = torch.full((x.shape[1], x.shape[1]), float("-inf")).triu(1)
        scores = q @ k.transpose(1, 2) + mask
        x = x + self.out(torch.softmax(scores, dim=-1) @ v)
        return x + self.feed(x)


class Model(nn.Module):
    def __init__(self, width, layers, scale):
        super().__init__()
        self.embed, self.scale = nn.Embedding(len(CHARS), width), scale
        self.blocks = nn.Sequential(*(Block(width) for _ in range(layers)))
        self.head = nn.Linear(width, len(CHARS))

    def forward(self, x):
        return self.head(self.blocks(self.scale * self.embed(x)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml")
    with open(parser.parse_args().config) as file:
        cfg = yaml.safe_load(file)
    torch.manual_seed(cfg["seed"])
    model = Model(cfg["hidden_size"], cfg["num_layers"], cfg["embed_scale"])
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=cfg["learning_rate"], weight_decay=cfg["weight_decay"]
    )
    half = cfg["precision"] == "fp16"
    scaler = torch.amp.GradScaler("cpu", enabled=half, init_scale=cfg["init_scale"])
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / cfg["warmup_steps"])
    )
    print(
        f"training {sum(p.numel() for p in model.parameters()):,} parameters for {cfg['max_steps']} steps",
        flush=True,
    )
    for step in range(1, cfg["max_steps"] + 1):
        start = torch.randint(len(DATA) - cfg["ctx_len"] - 1, (cfg["batch_size"],))
        batch = torch.stack([DATA[i : i + cfg["ctx_len"] + 1] for i in start])
        with torch.autocast("cpu", torch.float16, enabled=half):
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), cfg["grad_clip"])
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        if step % cfg["log_interval"] == 0:
            lr = optimizer.param_groups[0]["lr"]
            print(
                f"step {step}/{cfg['max_steps']} | loss {loss.item():.4f} | grad_norm {norm.item():.3f} | "
                f"lr {lr:.2e} | loss_scale {scaler.get_scale():g}",
                flush=True,
            )
        if not math.isfinite(loss.item()) and step > cfg["max_steps"] // 2:
            sys.exit("loss is not finite, giving up")


if __name__ == "__main__":
    main()
