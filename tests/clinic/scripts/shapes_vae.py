import argparse

import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, hidden=64, latent=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(144, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, latent)
        self.sigma = nn.Sequential(nn.Linear(hidden, latent), nn.ReLU())
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, 144))

    def forward(self, x):
        h = self.enc(x)
        mu, sigma = self.mu(h), self.sigma(h)
        z = mu + sigma * torch.randn_like(sigma)
        return self.dec(z), mu, sigma


def vae_loss(logits, x, mu, sigma):
    recon = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    kl = (0.5 * (mu**2 + sigma**2 - 1) - torch.log(sigma)).sum(1).mean()
    return recon + kl


def squares(n):
    images = torch.zeros(n, 12, 12)
    for image in images:
        i, j = torch.randint(0, 7, (2,)).tolist()
        image[i : i + 5, j : j + 5] = 1
    return images.flatten(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    loader = torch.utils.data.DataLoader(squares(640), batch_size=32, shuffle=True)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, args.epochs + 1):
        model.train()
        train_loss = 0.0
        for x in loader:
            optimizer.zero_grad()
            logits, mu, sigma = model(x)
            loss = vae_loss(logits, x, mu, sigma)
            loss.backward()
            train_loss += loss.item()
            optimizer.step()
        print(f"====> Epoch: {epoch} Average loss: {train_loss / len(loader):.4f}")


if __name__ == "__main__":
    main()
