"""Two optimizers, one of which steps every thirtieth time; a long warm-up; a checkpoint now and then."""
import argparse

import torch
from torch import nn

import io

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

fast, slow = nn.Linear(12, 24), nn.Linear(24, 2)
often = torch.optim.Adam(fast.parameters(), lr=2e-3)
seldom = torch.optim.SGD(slow.parameters(), lr=0.01)
warm = torch.optim.lr_scheduler.LambdaLR(often, lambda step: min(1.0, (step + 1) / 120))
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
rule = torch.randn(12, 2)
for step in range(240):
    x = torch.randn(32, 12)
    loss = nn.functional.mse_loss(slow(torch.relu(fast(x))), x @ rule)
    often.zero_grad()
    scaler.scale(loss).backward()
    for parameter in fast.parameters():
        parameter.grad.div_(scaler.get_scale())
    often.step()
    warm.step()
    if step % 30 == 29:
        for parameter in slow.parameters():
            parameter.grad.div_(30 * scaler.get_scale())
        seldom.step()
        seldom.zero_grad()
        torch.save(fast.state_dict(), io.BytesIO())
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
