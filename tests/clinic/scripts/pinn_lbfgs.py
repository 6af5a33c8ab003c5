"""Physics-informed fit of u'' = -u with LBFGS and a closure."""
import argparse

import torch
from torch import nn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=5, history_size=10)
    t = torch.linspace(0, 3, 40).unsqueeze(1).requires_grad_(True)

    def residual():
        u = net(t)
        du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        d2u = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
        start = net(torch.zeros(1, 1))
        return (d2u + u).pow(2).mean() + (start - 1).pow(2).mean() + du[0].pow(2).mean()

    def closure():
        optimizer.zero_grad()
        loss = residual()
        loss.backward()
        return loss

    for step in range(40):
        loss = optimizer.step(closure)
        if step % 5 == 0:
            print(f"step {step} residual {loss.item():.3e}")


if __name__ == "__main__":
    main()
