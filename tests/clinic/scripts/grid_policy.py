"""REINFORCE with an entropy bonus on a small corridor with walls."""
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=543)
parser.add_argument("--episodes", type=int, default=120)
args = parser.parse_args()
torch.manual_seed(args.seed)

SIZE, ACTIONS = 6, torch.tensor([[0, 1], [1, 0], [0, -1], [-1, 0]])
policy = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)


def allowed(position):
    target = position + ACTIONS
    return ((target >= 0) & (target < SIZE)).all(1)


for episode in range(args.episodes):
    position = torch.randint(0, SIZE - 1, (2,))
    log_probs, entropies, rewards = [], [], []
    for t in range(20):
        scores = policy(position.float() / SIZE).masked_fill(~allowed(position), float("-inf"))
        probs = torch.softmax(scores, dim=-1)
        action = torch.multinomial(probs, 1).item()
        log_probs.append(torch.log(probs[action]))
        entropies.append(-(probs * torch.log(probs)).sum())
        position = position + ACTIONS[action]
        done = bool((position == SIZE - 1).all())
        rewards.append(1.0 if done else -0.05)
        if done:
            break
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + 0.95 * running
        returns.insert(0, running)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std(unbiased=False) + 1e-6)
    loss = -(torch.stack(log_probs) * returns).sum() - 0.01 * torch.stack(entropies).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if episode % 20 == 0:
        print("Episode {}\tLength {}\tLoss {:.3f}".format(episode, t + 1, loss.item()))
