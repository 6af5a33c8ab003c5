"""Pretrain quickly, save, then fine-tune on a shifted task at a hundredth of the rate."""
import argparse
import io

import torch
from torch import nn


def network():
    return nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))


def fit(model, task, lr, steps, name):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    for step in range(steps):
        x = torch.randn(64, 12)
        y = (x @ task).argmax(1)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"{name} {step} loss {loss.item():.4f}")
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    task = torch.randn(12, 4)
    file = io.BytesIO()
    torch.save(fit(network(), task, 3e-3, 150, "pretrain").state_dict(), file)
    file.seek(0)
    model = network()
    model.load_state_dict(torch.load(file, weights_only=True))
    fit(model, task + 0.2 * torch.randn(12, 4), 3e-5, 150, "finetune")


if __name__ == "__main__":
    main()
