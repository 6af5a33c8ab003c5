"""A small network learns the height of a landscape from places on it; a batch is drawn in each step."""
import argparse

import torch
from torch import nn


class Survey:
    """Measured places: two coordinates and a height."""

    def __init__(self, count, seed):
        self.seed = seed
        generator = torch.Generator().manual_seed(seed)
        self.places = 4 * torch.rand(count, 2, generator=generator) - 2
        self.heights = (self.places.prod(1) + self.places[:, 0].sin()).unsqueeze(1)

    def draw(self, count):
        generator = torch.Generator().manual_seed(self.seed)
        rows = torch.randint(0, len(self.places), (count,), generator=generator)
        return self.places[rows], self.heights[rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    survey, test = Survey(2000, args.seed), Survey(500, args.seed + 1)
    model = nn.Sequential(nn.Linear(2, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(args.steps):
        places, heights = survey.draw(48)
        loss = nn.functional.mse_loss(model(places), heights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 49:
            with torch.no_grad():
                error = nn.functional.mse_loss(model(test.places), test.heights)
            print(f"step {step + 1} train {loss.item():.4f} test {error.item():.4f}")


if __name__ == "__main__":
    main()
