"""How deep can a plain network be?"""
import argparse

import torch
import torch.nn as nn

ACTIVATIONS = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh}


def build(depth, width, activation):
    layers = [nn.Linear(12, width), ACTIVATIONS[activation]()]
    for _ in range(depth - 2):
        layers += [nn.Linear(width, width), ACTIVATIONS[activation]()]
    return nn.Sequential(*layers, nn.Linear(width, 3))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--depth", type=int, default=16)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--activation", choices=sorted(ACTIVATIONS), default="sigmoid")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = build(args.depth, args.width, args.activation)
    teacher = torch.randn(12, 3)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(200):
        x = torch.randn(64, 12)
        y = (x @ teacher).argmax(1)
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 40 == 0:
            print(f"{step} loss {loss.item():.4f} acc {(out.argmax(1) == y).float().mean():.3f}")


if __name__ == "__main__":
    main()
