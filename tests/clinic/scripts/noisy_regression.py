"""Small batches, heavy-tailed noise: the loss jumps about while the mean comes down."""
import argparse

import torch
from torch import nn

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch-size", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    weights = torch.randn(8, 1)
    noise = torch.distributions.StudentT(3.0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.005, momentum=0.9)
    for step in range(300):
        x = torch.randn(args.batch_size, 8)
        y = x @ weights + 0.7 * noise.sample((args.batch_size, 1))
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.3f}")
