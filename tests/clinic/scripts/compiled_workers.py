"""torch.compile (eager backend), two loader workers, OneCycleLR."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spirals(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.label = torch.randint(0, 3, (n,), generator=g)
        t = torch.rand(n, generator=g) * 2 + 0.2
        angle = 2 * t + self.label * 2.1 + 0.1 * torch.randn(n, generator=g)
        self.points = torch.stack([t * angle.cos(), t * angle.sin()], 1)

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return {"points": self.points[i], "label": self.label[i]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    loader = DataLoader(Spirals(2000, args.seed), batch_size=100, shuffle=True, num_workers=2, persistent_workers=True)
    net = nn.Sequential(nn.Linear(2, 640), nn.SiLU(), nn.Linear(640, 640), nn.SiLU(), nn.Linear(640, 640), nn.SiLU(), nn.Linear(640, 3))
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=args.epochs * len(loader))
    for epoch in range(args.epochs):
        for batch in loader:
            loss = nn.functional.cross_entropy(model(batch["points"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch} loss {loss.item():.4f} lr {schedule.get_last_lr()[0]:.2e}")


if __name__ == "__main__":
    main()
