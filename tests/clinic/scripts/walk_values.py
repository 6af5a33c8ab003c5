"""Values of the states of a random walk, learnt by temporal differences while walking."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)

critic = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
seen, here = [], torch.zeros(2)
for step in range(160):
    for _ in range(4):
        with torch.no_grad():
            tries = here + 0.3 * torch.randn(5, 2)
            there = tries[critic(tries).argmax()].clamp(-1, 1)
        seen.append((here, there, -there.norm()))
        here = torch.rand(2) * 2 - 1 if torch.rand(()) < 0.1 else there
    if len(seen) < 24:
        continue
    chosen = [seen[i] for i in torch.randint(len(seen), (24,))]
    before, after, reward = (torch.stack(column) for column in zip(*chosen))
    with torch.no_grad():
        goal = reward + 0.9 * critic(after)[:, 0]
    loss = (goal - critic(before)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} error {loss.item():.4f}")
