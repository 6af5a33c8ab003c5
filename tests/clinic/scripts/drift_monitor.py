"""A classifier of machine vibrations, with a monitor that watches how its features move."""
import argparse

import torch
from torch import nn


class FeatureMonitor:
    """Means of the features of a layer, for the report at the end."""

    def __init__(self, layer):
        self.means = []
        layer.register_forward_hook(self.on_forward)

    def on_forward(self, layer, inputs, features):
        if layer.training:
            self.means.append(features.mean(0))

    def drift(self):
        return (self.means[-1] - self.means[0]).norm().item()


def vibrations(count):
    kind = torch.randint(0, 3, (count,))
    time = torch.linspace(0, 6.28, 48)
    wave = ((kind[:, None] + 1) * time).sin() + 0.3 * torch.randn(count, 48)
    return wave, kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=160)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = nn.Sequential(nn.Linear(48, 64), nn.Tanh(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 3))
    monitor = FeatureMonitor(model[2])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(args.steps):
        wave, kind = vibrations(64)
        loss = nn.functional.cross_entropy(model(wave), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    print(f"features moved by {monitor.drift():.3f}")


if __name__ == "__main__":
    main()
