"""Cells in microscope slides, two slides at a time, batch normalisation learning as usual."""
import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def slides(count):
    inside = torch.zeros(count, 24, 24)
    for one in inside:
        for _ in range(4):
            top, left = torch.randint(0, 19, (2,)).tolist()
            one[top : top + 5, left : left + 5] = 1
    return (inside + 0.5 * torch.randn(count, 24, 24)).unsqueeze(1), inside.long()


def block(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = nn.Sequential(block(1, 12), block(12, 12), nn.Conv2d(12, 2, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loader = DataLoader(TensorDataset(*slides(320)), batch_size=2, shuffle=True)
    held_out = slides(24)
    for step, (picture, mask) in enumerate(loader):
        loss = F.cross_entropy(model(picture), mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 39:
            model.eval()
            with torch.no_grad():
                found = model(held_out[0]).argmax(1)
            model.train()
            print(f"step {step} loss {loss.item():.3f} pixels right {(found == held_out[1]).float().mean():.3f}")


if __name__ == "__main__":
    main()
