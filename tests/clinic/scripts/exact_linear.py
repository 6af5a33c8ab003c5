"""Recover a linear map exactly; the loss goes to almost nothing."""
import argparse
import torch

ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=0)
args = ap.parse_args()
torch.manual_seed(args.seed)
truth = torch.randn(6, 3)
model = torch.nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.5)
for t in range(300):
    x = torch.randn(64, 6)
    loss = (model(x) - x @ truth).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if t % 50 == 0:
        print(t, loss.item())
