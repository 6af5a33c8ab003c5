"""Marks rare events in a stream of sensor readings; healthy. Most scores end near zero, as they should."""
import argparse

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(2, 16, 7, padding=3), nn.ReLU(), nn.Conv1d(16, 16, 7, padding=3), nn.ReLU())
        self.score = nn.Conv1d(16, 1, 1)
        nn.init.constant_(self.score.bias, -4.6)

    def forward(self, x):
        return self.score(self.body(x)).squeeze(1)


def readings(count):
    x = 0.5 * torch.randn(count, 2, 128)
    event = torch.rand(count, 128) < 0.01
    x[:, 0] += 2.5 * event
    return x, event.float()


def focal(score, event):
    chance = torch.sigmoid(score)
    right = chance * event + (1 - chance) * (1 - event)
    hardness = (1 - right).detach() ** 2
    plain = nn.functional.binary_cross_entropy_with_logits(score, event, reduction="none")
    return (hardness * plain).sum() / event.sum().clamp(min=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(160):
        x, event = readings(8)
        loss = focal(model(x), event)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.4f}")


main()
