"""Cleans up short signals; judged by their samples and by the features of a listening network."""
import argparse

import torch
from torch import nn


class Listener:
    """Intermediate activations of a fixed network."""

    def __init__(self):
        self.body = nn.Sequential(
            nn.Conv1d(1, 12, 5, padding=2), nn.GELU(), nn.Conv1d(12, 24, 5, stride=2, padding=2), nn.GELU()
        )
        for weight in self.body.parameters():
            weight.requires_grad = False
        self.kept = {}
        for place, layer in enumerate(self.body):
            layer.register_forward_hook(lambda module, given, output, place=place: self.keep(place, output))

    def keep(self, place, output):
        self.kept[place] = output.data

    def features(self, wave):
        self.body(wave)
        return [self.kept[place] for place in (1, 3)]


def heard_distance(listener, estimate, clean):
    mine, wanted = listener.features(estimate), listener.features(clean)
    return torch.stack([(a - b).pow(2).mean() for a, b in zip(mine, wanted)]).sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    listener = Listener()
    net = nn.Sequential(nn.Conv1d(1, 16, 9, padding=4), nn.Tanh(), nn.Conv1d(16, 1, 9, padding=4))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    time = torch.linspace(0, 6.28, 96)
    for step in range(90):
        clean = torch.sin(time * torch.randint(1, 9, (16, 1, 1)) + 6.28 * torch.rand(16, 1, 1))
        estimate = net(clean + 0.4 * torch.randn_like(clean))
        samples = (estimate - clean).abs().mean()
        loss = samples + 2.0 * heard_distance(listener, estimate, clean)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 15 == 0:
            print(f"step {step} samples {samples.item():.4f} loss {loss.item():.4f}")


main()
