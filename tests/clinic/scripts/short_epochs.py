"""Whale-call classifier; short epochs, so that validation comes often."""

import argparse
from itertools import islice
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Calls(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 6, (n,), generator=g)
        f = torch.arange(48.0)
        base = torch.stack([torch.sin(f * (0.2 + 0.13 * k)) for k in range(6)])
        shift = torch.randint(0, 12, (n,), generator=g)
        self.x = torch.stack([base[k].roll(int(s)) for k, s in zip(self.y, shift)]) + 1.1 * torch.randn(
            n, 48, generator=g
        )

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"spectrum": self.x[i], "label": self.y[i], "name": f"call_{i}.wav"}


p = argparse.ArgumentParser()
p.add_argument("--limit-batches", type=int, default=20)
p.add_argument("--epochs", type=int, default=40)
p.add_argument("--seed", type=int, default=0)
a = p.parse_args()
torch.manual_seed(a.seed)
train = DataLoader(Calls(5000, 1), batch_size=40, shuffle=True)
valid = DataLoader(Calls(800, 2), batch_size=200)
net = nn.Sequential(
    nn.Unflatten(1, (1, 48)),
    nn.Conv1d(1, 16, 9),
    nn.ReLU(),
    nn.Conv1d(16, 32, 9),
    nn.ReLU(),
    nn.AdaptiveMaxPool1d(4),
    nn.Flatten(),
    nn.Linear(128, 6),
)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for e in range(a.epochs):
    net.train()
    n = s = 0
    for batch in islice(train, a.limit_batches):
        loss = nn.functional.cross_entropy(net(batch["spectrum"]), batch["label"])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
        n += 1
    net.eval()
    with torch.no_grad():
        vl = va = 0.0
        for batch in valid:
            o = net(batch["spectrum"])
            vl += nn.functional.cross_entropy(o, batch["label"]).item() / len(valid)
            va += (o.argmax(1) == batch["label"]).float().mean().item() / len(valid)
    if e % 4 == 0:
        print(f"epoch {e}: train_loss={s / n:.4f} val_loss={vl:.4f} val_acc={va:.3f}")
