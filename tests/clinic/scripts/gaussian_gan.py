"""GAN on two dimensions, hinge loss, the critic trained twice as often."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F


def mlp(i, o, slope):
    return nn.Sequential(nn.Linear(i, 64), nn.LeakyReLU(slope), nn.Linear(64, 64), nn.LeakyReLU(slope), nn.Linear(64, o))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--iters", type=int, default=120)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    modes = torch.tensor([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
    gen, critic = mlp(4, 2, 0.1), mlp(2, 1, 0.2)
    opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.0, 0.9))
    opt_c = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.0, 0.9))
    for it in range(args.iters):
        for _ in range(2):
            real = modes[torch.randint(0, 3, (64,))] + 0.1 * torch.randn(64, 2)
            with torch.no_grad():
                fake = gen(torch.randn(64, 4))
            loss_c = F.relu(1 - critic(real)).mean() + F.relu(1 + critic(fake)).mean()
            opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
        loss_g = -critic(gen(torch.randn(64, 4))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        if it % 30 == 0:
            print(f"{it}: critic {loss_c.item():.3f} generator {loss_g.item():.3f}")


if __name__ == "__main__":
    main()
