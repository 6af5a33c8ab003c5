"""A DCGAN-style loop with classes for the two sides."""
import argparse

import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, nz=10, nf=32):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(nz, nf * 9), nn.Unflatten(1, (nf, 3, 3)), nn.ReLU(True),
            nn.ConvTranspose2d(nf, nf // 2, 4, 2, 1, bias=False), nn.BatchNorm2d(nf // 2), nn.ReLU(True),
            nn.ConvTranspose2d(nf // 2, 1, 4, 2, 1), nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, nf=16):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, nf, 4, 2, 1), nn.LeakyReLU(0.2, True),
            nn.Conv2d(nf, 2 * nf, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Flatten(), nn.Linear(2 * nf * 9, 1),
        )

    def forward(self, x):
        return self.main(x).squeeze(1)


def crescents(n):
    grid = torch.linspace(-1, 1, 12)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    cx = torch.rand(n, 1, 1) - 0.5
    disc = ((xx - cx) ** 2 + yy**2 < 0.4).float() - ((xx - cx - 0.3) ** 2 + yy**2 < 0.4).float().clamp(0, 1)
    return disc.clamp(0, 1).unsqueeze(1) * 2 - 1


class GAN:
    def __init__(self):
        self.G, self.D = Generator(), Discriminator()
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.bce = nn.BCEWithLogitsLoss()

    def step(self, real):
        n = len(real)
        fake = self.G(torch.randn(n, 10)).detach()
        d_loss = self.bce(self.D(real), torch.full((n,), 0.9)) + self.bce(self.D(fake), torch.zeros(n))
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()
        g_loss = self.bce(self.D(fake), torch.ones(n))
        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()
        return d_loss.item(), g_loss.item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    gan = GAN()
    for i in range(150):
        d, g = gan.step(crescents(32))
        if i % 30 == 0:
            print(f"{i} d_loss {d:.3f} g_loss {g:.3f}")
