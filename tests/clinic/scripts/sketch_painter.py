"""Colours for line drawings: a painter with a distance to the true colours and a critic that sees drawing and colours."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


class Painter(nn.Module):
    def __init__(self, lines=16, colours=24):
        super().__init__()
        self.read = nn.Sequential(nn.Linear(lines, 64), nn.SiLU())
        self.paint = nn.Sequential(nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, colours))

    def forward(self, drawing):
        return self.paint(self.read(drawing))


class Critic(nn.Module):
    def __init__(self, lines=16, colours=24):
        super().__init__()
        self.judge = nn.Sequential(nn.Linear(lines + colours, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, drawing, colours):
        return self.judge(torch.cat((drawing, colours), dim=-1))


class Studio:
    def __init__(self, weight):
        self.painter, self.critic = Painter(), Critic()
        self.weight = weight
        self.paint_opt = torch.optim.AdamW(self.painter.parameters(), lr=5e-4)
        self.critic_opt = torch.optim.AdamW(self.critic.parameters(), lr=5e-4)

    def round(self, drawing, colours):
        painted = self.painter(drawing)
        shown = painted.data
        right, wrong = self.critic(drawing, colours), self.critic(drawing, shown)
        critic_loss = F.relu(1 - right).mean() + F.relu(1 + wrong).mean()
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        style = -self.critic(drawing, shown).mean()
        distance = F.smooth_l1_loss(painted.mean(-1), colours.mean(-1))
        self.paint_opt.zero_grad()
        (distance + self.weight * style).backward()
        self.paint_opt.step()
        return critic_loss.item(), distance.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=160)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    mix = torch.randn(16, 24) / 4
    studio = Studio(weight=0.5)
    for number in range(args.rounds):
        drawing = torch.randn(48, 16)
        colours = torch.tanh(drawing @ mix) + 0.1 * torch.randn(48, 24)
        critic, distance = studio.round(drawing, colours)
        if number % 20 == 0:
            print(f"round {number} critic {critic:.3f} distance {distance:.3f}")


if __name__ == "__main__":
    main()
