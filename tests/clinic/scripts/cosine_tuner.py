"""A gated network with a hand-written cosine decay."""
import argparse

import torch
from torch import nn

import math

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.way, self.out = nn.Linear(9, 32), nn.Linear(9, 32), nn.Linear(32, 3)

    def forward(self, x):
        return self.out(torch.sigmoid(self.gate(x)) * self.way(x))


net, base = Gated(), 4e-3
optimizer = torch.optim.AdamW(net.parameters(), lr=base)
decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: base * 0.5 * (1 + math.cos(math.pi * step / 400)))
rule = torch.randn(9, 3)
for step in range(160):
    x = torch.randn(48, 9)
    loss = nn.functional.mse_loss(net(x), torch.sin(x @ rule))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    decay.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
