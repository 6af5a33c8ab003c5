"""GPT with tied embeddings, warm-up, cosine decay, clipping and bfloat16 autocast."""
import argparse
import math

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, d, heads, dropout):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, heads, dropout=dropout, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(dropout))

    def forward(self, x, mask):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, vocab, context, d=64, layers=2, heads=4, dropout=0.1):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(context, d)
        self.blocks = nn.ModuleList(Block(d, heads, dropout) for _ in range(layers))
        self.ln_f = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab, bias=False)
        self.apply(lambda m: nn.init.normal_(m.weight, std=0.02) if isinstance(m, (nn.Linear, nn.Embedding)) else None)
        self.tok.weight = self.head.weight

    def forward(self, ids, targets):
        t = ids.size(1)
        mask = torch.full((t, t), float("-inf")).triu(1)
        x = self.tok(ids) + self.pos(torch.arange(t))
        for block in self.blocks:
            x = block(x, mask)
        logits = self.head(self.ln_f(x))
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1337)
parser.add_argument("--iters", type=int, default=120)
args = parser.parse_args()
torch.manual_seed(args.seed)
phrases = ["rose is a rose ", "the sea the sea ", "o captain my captain ", "tyger tyger "]
text = "".join(phrases[i] for i in torch.randint(0, 4, (600,)).tolist())
alphabet = sorted(set(text))
corpus = torch.tensor([alphabet.index(c) for c in text])
split = int(0.9 * len(corpus))
model = GPT(len(alphabet), 32)
decay = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=3e-3)


def batch(data):
    start = torch.randint(0, len(data) - 33, (16,)).tolist()
    return torch.stack([data[i : i + 32] for i in start]), torch.stack([data[i + 1 : i + 33] for i in start])


for it in range(args.iters):
    lr = 3e-3 * min(1.0, (it + 1) / 20) * (0.55 + 0.45 * math.cos(math.pi * it / args.iters))
    for group in optimizer.param_groups:
        group["lr"] = lr
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(*batch(corpus[:split]))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if it % 30 == 29:
        model.eval()
        with torch.no_grad():
            val = sum(model(*batch(corpus[split:])).item() for _ in range(4)) / 4
        model.train()
        print(f"iter {it + 1} train {loss.item():.4f} val {val:.4f} lr {lr:.2e}")
