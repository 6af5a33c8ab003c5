"""Actor-critic on a small balancing task."""
import argparse

import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 64), nn.Tanh())
        self.policy, self.value = nn.Linear(64, 2), nn.Linear(64, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


def environment(n):
    return torch.randn(n, 2) * 0.1


def act(state, action):
    angle, speed = state.unbind(1)
    speed = speed + 0.15 * angle + 0.1 * (action.float() * 2 - 1)
    state = torch.stack([angle + 0.1 * speed, speed], 1)
    return state, 1.0 - state[:, 0].abs().clamp(max=1.0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=543)
    parser.add_argument("--updates", type=int, default=60)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for update in range(args.updates):
        state = environment(16)
        log_probs, values, rewards, entropy = [], [], [], 0.0
        for _ in range(20):
            dist, value = model(state)
            action = dist.sample()
            state, reward = act(state, action)
            log_probs.append(dist.log_prob(action))
            values.append(value)
            rewards.append(reward)
            entropy = entropy + dist.entropy().mean()
        returns, running = [], torch.zeros(16)
        for reward in reversed(rewards):
            running = reward + 0.9 * running
            returns.insert(0, running)
        returns, values = torch.stack(returns), torch.stack(values)
        advantage = returns - values.detach()
        loss = -(torch.stack(log_probs) * advantage).mean() + 0.5 * (returns - values).pow(2).mean() - 0.001 * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 10 == 0:
            print(f"update {update} loss {loss.item():.3f} return {returns[0].mean().item():.3f}")


main()
