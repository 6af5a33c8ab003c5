"""A policy for one-step games learns from rewards that come as a column."""
import argparse

import torch
from torch import nn
from torch.distributions import Categorical


class Games:
    def __init__(self, kinds=4):
        self.best = torch.randint(0, 3, (kinds,))
        self.kinds = kinds

    def deal(self, count):
        kind = torch.randint(0, self.kinds, (count,))
        return kind, nn.functional.one_hot(kind, self.kinds).float()

    def pay(self, kind, action):
        won = (action == self.best[kind]).float()
        return torch.stack([won + 0.2 * torch.randn(len(kind))], dim=-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    games = Games()
    policy = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    level = 0.0
    for update in range(120):
        kind, seen = games.deal(48)
        chances = Categorical(logits=policy(seen))
        action = chances.sample()
        pay = games.pay(kind, action)
        level += 0.1 * (pay.mean().item() - level)
        loss = -(chances.log_prob(action) * (pay - level)).mean() - 0.01 * chances.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 20 == 0:
            print(f"update {update} pay {pay.mean().item():.3f} loss {loss.item():.4f}")


main()
