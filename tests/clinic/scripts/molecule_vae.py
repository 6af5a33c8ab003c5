"""VAE on fingerprints; the two terms of the objective are reported."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


class FingerprintVAE(nn.Module):
    def __init__(self, bits=100, latent=10):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(bits, 64), nn.ReLU(), nn.Linear(64, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.ReLU(), nn.Linear(64, bits))

    def forward(self, x):
        mu, logvar = self.encoder(x).chunk(2, 1)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return self.decoder(z), mu, logvar


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--beta", type=float, default=1.0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    families = (torch.rand(12, 100) < 0.3).float()
    model = FingerprintVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(250):
        x = families[torch.randint(0, 12, (64,))]
        x = torch.where(torch.rand_like(x) < 0.03, 1 - x, x)
        recon, mu, logvar = model(x)
        bce = F.binary_cross_entropy_with_logits(recon, x, reduction="mean")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss = bce + args.beta * kld
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.4f} bce {bce.item():.4f} kld {kld.item():.4f}")


if __name__ == "__main__":
    main()
