"""Sums of sequences that grow longer in stages."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

rnn, out = nn.GRU(1, 24, batch_first=True), nn.Linear(24, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=5e-3)
for step in range(210):
    x = torch.randn(48, 4 + 6 * (step // 70), 1)
    loss = nn.functional.mse_loss(out(rnn(x)[0][:, -1]), x.sum(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([*rnn.parameters(), *out.parameters()], 1.0)
    optimizer.step()
    if step % 15 == 0:
        print(f"step {step} length {x.shape[1]} loss {loss.item():.4f}")
