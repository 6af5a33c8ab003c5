"""Song tags from a filter bank and a classifier, each with an optimizer of its own."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

bank = nn.Sequential(nn.Conv1d(1, 8, 9, stride=4), nn.ReLU(), nn.Conv1d(8, 8, 5, stride=2), nn.ReLU(), nn.Flatten())
tags = nn.Sequential(nn.Linear(88, 24), nn.ReLU(), nn.Linear(24, 5))
optimizers = {"bank": torch.optim.RMSprop(bank.parameters(), lr=1e-3), "tags": torch.optim.Adam(tags.parameters(), lr=2e-3)}
tones = torch.rand(5, 1) * 0.6 + 0.1


def songs(n):
    kind = torch.randint(5, (n,))
    return torch.sin(tones[kind] * torch.arange(112.0))[:, None] + 0.3 * torch.randn(n, 1, 112), kind


for step in range(120):
    sound, kind = songs(32)
    for one in optimizers.values():
        one.zero_grad()
    loss = nn.functional.cross_entropy(tags(bank(sound)), kind)
    loss.backward()
    optimizers["tags"].step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.4f}")
