"""Transformer regression with linear warm-up handled by LambdaLR."""
import argparse

import torch
from torch import nn


class SetRegressor(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.enc = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        return self.out(self.enc(self.inp(x)).mean(1)).squeeze(1)


def train(args):
    torch.manual_seed(args.seed)
    model = SetRegressor()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: min(1.0, epoch / args.warmup))
    iterator = 0
    for epoch in range(args.epochs):
        for _ in range(60):
            x = torch.randn(32, 6, 4)
            y = x.prod(-1).sum(-1) + x[:, 0, 0]
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            iterator += 1
            if iterator % 30 == 0:
                print(f"it {iterator} lr {scheduler.get_last_lr()[0]:.2e} loss {loss.item():.4f}")
    scheduler.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=3)
    train(parser.parse_args())
