"""Next product from the baskets of a customer: attention over past items, padded."""

import argparse
import math

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import Dataset, DataLoader

PAD = 0
N_ITEMS = 80
MAX_LEN = 10


class BasketDataset(Dataset):
    def __init__(self, n_customers=3000):
        g = torch.Generator().manual_seed(123)
        self.rows = []
        for c in range(n_customers):
            taste = int(torch.randint(0, 8, (1,), generator=g))
            k = int(torch.randint(1, MAX_LEN + 1, (1,), generator=g))
            if c % 700 == 350:
                k = 0
            items = torch.randint(0, 10, (k,), generator=g) + 10 * taste + 1
            nxt = taste * 10 + 1 + (int(items.sum()) % 3 if k else 0)
            self.rows.append((items, nxt - 1))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        items, nxt = self.rows[i]
        seq = torch.full((MAX_LEN,), PAD)
        seq[: len(items)] = items
        return seq, nxt


class SelfAttention(nn.Module):
    def __init__(self, d, n_heads):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.h = n_heads

    def forward(self, x, pad):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-2, -1) / math.sqrt(d // self.h)
        att = att.masked_fill(pad[:, None, None, :], float("-inf"))
        y = (torch.softmax(att, -1) @ v).transpose(1, 2).reshape(b, t, d)
        return self.proj(y)


class Recommender(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(N_ITEMS + 1, d, padding_idx=PAD)
        self.att = SelfAttention(d, 4)
        self.norm = nn.LayerNorm(d)
        self.out = nn.Linear(d, N_ITEMS)

    def forward(self, seq):
        pad = seq == PAD
        x = self.emb(seq)
        x = self.norm(x + self.att(x, pad))
        x = x.masked_fill(pad.unsqueeze(-1), 0).sum(1) / (~pad).sum(1, keepdim=True).clamp(min=1)
        return self.out(x)


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)
loader = DataLoader(BasketDataset(), batch_size=50, shuffle=True)
model = Recommender()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    total, hits = 0.0, 0
    for seq, nxt in loader:
        optimizer.zero_grad()
        logits = model(seq)
        loss = criterion(logits, nxt)
        loss.backward()
        optimizer.step()
        total += loss.item()
        hits += (logits.argmax(1) == nxt).sum().item()
    print(f"epoch={epoch} loss={total / len(loader):.4f} hit@1={hits / 3000:.4f}")
