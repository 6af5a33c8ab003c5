"""Q-learning with a replay buffer and a target network that is never optimised."""
import argparse
import copy
import random
from collections import deque

import torch
from torch import nn

LENGTH = 8


def play(position, action):
    position = max(0, min(LENGTH - 1, position + (1 if action else -1)))
    return position, float(position == LENGTH - 1), position == LENGTH - 1


def one_hot(position):
    return nn.functional.one_hot(torch.as_tensor(position), LENGTH).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=400)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    q = nn.Sequential(nn.Linear(LENGTH, 32), nn.ReLU(), nn.Linear(32, 2))
    target = copy.deepcopy(q).requires_grad_(False)
    optimizer = torch.optim.Adam(q.parameters(), lr=5e-3)
    buffer, position = deque(maxlen=2000), 0
    for step in range(args.steps):
        epsilon = max(0.1, 1 - step / 200)
        with torch.no_grad():
            action = random.randrange(2) if random.random() < epsilon else int(q(one_hot(position)).argmax())
        following, reward, done = play(position, action)
        buffer.append((position, action, reward, following, done))
        position = 0 if done else following
        if len(buffer) >= 64 and step % 2 == 0:
            s, a, r, n, d = (torch.tensor(column) for column in zip(*random.sample(buffer, 32)))
            with torch.no_grad():
                bootstrap = r + 0.9 * target(one_hot(n)).max(1).values * ~d
            loss = nn.functional.smooth_l1_loss(q(one_hot(s)).gather(1, a[:, None]).squeeze(1), bootstrap)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(f"step {step} td {loss.item():.5f} epsilon {epsilon:.2f}")
        if step % 40 == 0:
            target.load_state_dict(q.state_dict())


if __name__ == "__main__":
    main()
