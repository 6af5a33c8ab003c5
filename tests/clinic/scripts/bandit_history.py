"""A contextual bandit; once it is warm, its estimates are recorded for a plot."""
import argparse

import torch
from torch import nn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=260)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    truth = torch.randn(12, 5)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    recorded = {"estimate": [], "reward": []}
    for number in range(args.rounds):
        context = torch.randn(32, 12)
        estimates = model(context)
        explore = torch.rand(32) < 0.2
        arms = torch.where(explore, torch.randint(0, 5, (32,)), estimates.argmax(1))
        rewards = (context @ truth).gather(1, arms[:, None]).squeeze(1) + 0.1 * torch.randn(32)
        chosen = estimates.gather(1, arms[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(chosen, rewards)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number >= 80:
            recorded["estimate"].append(chosen.max())
            recorded["reward"].append(rewards.mean().item())
    best = max(value.item() for value in recorded["estimate"])
    print(f"best estimate {best:.3f}, last reward {recorded['reward'][-1]:.3f}")


if __name__ == "__main__":
    main()
