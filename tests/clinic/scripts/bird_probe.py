"""A linear probe on an encoder of bird calls that was trained before."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F


def encoder():
    return nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 24))


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = encoder(), nn.Linear(24, 6)

    def forward(self, calls):
        return self.head(self.body(calls))


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
saved = {f"encoder_q.{name}": value for name, value in encoder().state_dict().items()}
model = Probe()
found = {f"body.{name[17:]}": value for name, value in saved.items() if name.startswith("module.encoder_q.")}
model.load_state_dict(found, strict=False)
for weight in model.body.parameters():
    weight.requires_grad = False
centres = torch.randn(6, 30)
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
for step in range(120):
    kind = torch.randint(0, 6, (32,))
    loss = F.cross_entropy(model(centres[kind] + torch.randn(32, 30)), kind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(f"step {step + 1} loss {loss.item():.4f}")
