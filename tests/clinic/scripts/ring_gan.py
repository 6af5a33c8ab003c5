"""GAN on a ring of Gaussians."""
import argparse
import math

import torch
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=999)
parser.add_argument("--niter", type=int, default=200)
parser.add_argument("--nz", type=int, default=8)
opt = parser.parse_args()
torch.manual_seed(opt.seed)


def real_batch(n):
    angle = torch.randint(0, 8, (n,)) * (2 * math.pi / 8)
    return torch.stack([angle.cos(), angle.sin()], 1) * 2 + 0.05 * torch.randn(n, 2)


netG = nn.Sequential(nn.Linear(opt.nz, 64), nn.ReLU(True), nn.Linear(64, 64), nn.ReLU(True), nn.Linear(64, 2))
netD = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
criterion = nn.BCEWithLogitsLoss()
optimizerD = optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
for i in range(opt.niter):
    netD.zero_grad()
    errD_real = criterion(netD(real_batch(64)), ones)
    errD_real.backward()
    fake = netG(torch.randn(64, opt.nz))
    errD_fake = criterion(netD(fake.detach()), zeros)
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    errG = criterion(netD(netG(torch.randn(64, opt.nz))), ones)
    errG.backward()
    optimizerG.step()
    if i % 50 == 0:
        print("[%d/%d] Loss_D: %.4f Loss_G: %.4f" % (i, opt.niter, (errD_real + errD_fake).item(), errG.item()))
