"""A classifier that meets new classes on the way, with an optimizer made anew."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

body, head = nn.Sequential(nn.Linear(16, 48), nn.ReLU()), nn.Linear(48, 3)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
words = torch.randn(9, 16)
for step in range(180):
    known = 3 if step < 80 else 9
    if step == 80:
        head = nn.Linear(48, 9)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
    kind = torch.randint(known, (40,))
    loss = nn.functional.cross_entropy(head(body(words[kind] + 0.8 * torch.randn(40, 16))), kind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 15 == 0:
        print(f"step {step} classes {known} loss {loss.item():.4f}")
