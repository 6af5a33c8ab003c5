"""Sequences of different lengths from two worker processes."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

AMINO = "ACDEFGHIKLMNPQRSTVWY"


class Proteins(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        lengths = torch.where(torch.rand(n, generator=g) < 0.04, 47, 48).tolist()
        self.chains = ["".join(AMINO[i] for i in torch.randint(0, 20, (k,), generator=g)) for k in lengths]

    def __len__(self):
        return len(self.chains)

    def __getitem__(self, i):
        chain = self.chains[i]
        ids = torch.tensor([AMINO.index(a) for a in chain])
        return {"ids": ids, "label": torch.tensor(float(chain.count("A") > 2))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--num_workers", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    loader = DataLoader(Proteins(600, args.seed), batch_size=12, shuffle=True, num_workers=args.num_workers)
    net = nn.ModuleDict({"embed": nn.Embedding(20, 32), "head": nn.Linear(32, 1)})
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step, batch in enumerate(loader):
        logits = net["head"](net["embed"](batch["ids"]).mean(1)).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
