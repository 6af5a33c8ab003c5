"""A codec in half precision whose two halves have optimizers of their own."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

encoder, decoder = nn.Sequential(nn.Linear(30, 40), nn.GELU(), nn.Linear(40, 5)), nn.Linear(5, 30)
fast = torch.optim.SGD(encoder.parameters(), lr=0.05)
slow = torch.optim.SGD(decoder.parameters(), lr=0.02, momentum=0.5)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
mix = torch.randn(5, 30)
for step in range(100):
    x = torch.randn(32, 5) @ mix
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.mse_loss(decoder(encoder(x)).float(), x)
    fast.zero_grad()
    slow.zero_grad()
    scaler.scale(loss).backward()
    fast.step()
    scaler.step(slow)
    scaler.update()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}")
