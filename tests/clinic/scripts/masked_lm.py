"""BERT-like pretraining: fifteen per cent of the labels count, a warm-up spike, padding masks."""
import argparse

import torch
from torch import nn

VOCAB, MASK, PAD = 50, 1, 0


class Bert(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, d, padding_idx=PAD)
        self.pos = nn.Embedding(16, d)
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.0, batch_first=True, activation="gelu", norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, VOCAB)

    def forward(self, ids):
        x = self.embed(ids) + self.pos(torch.arange(ids.size(1)))
        return self.head(self.encoder(x, src_key_padding_mask=ids == PAD))


def sentences(n):
    start, stride = torch.randint(0, 48, (n, 1)), torch.randint(1, 4, (n, 1))
    ids = (start + stride * torch.arange(16)) % 48 + 2
    return torch.where(torch.arange(16) < torch.randint(8, 17, (n, 1)), ids, PAD)


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
model = Bert()
optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-2)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / 15, 1.0) * max(0.02, 1 - s / 120))
for step in range(110):
    ids = sentences(32)
    chosen = (torch.rand(ids.shape) < 0.15) & (ids != PAD)
    logits = model(torch.where(chosen, MASK, ids))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), torch.where(chosen, ids, -100), ignore_index=-100)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    warmup.step()
    if step % 10 == 0:
        print(f"step {step} mlm {loss.item():.4f} lr {warmup.get_last_lr()[0]:.1e}")
