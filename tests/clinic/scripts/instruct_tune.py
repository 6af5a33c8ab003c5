"""Instruction tuning of a tiny decoder: the prompt carries no loss."""
import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, MAX_LEN, IGNORE = 64, 32, -100


class TinyDecoder(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Embedding(MAX_LEN, d)
        layer = nn.TransformerEncoderLayer(d, 4, 2 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.lm_head = nn.Linear(d, VOCAB)

    def forward(self, ids):
        t = ids.shape[1]
        causal = nn.Transformer.generate_square_subsequent_mask(t)
        x = self.tok(ids) + self.pos(torch.arange(t))
        return self.lm_head(self.layers(x, mask=causal, is_causal=True))


def encode(prompt, answer):
    ids = (prompt + answer)[:MAX_LEN]
    labels = ([IGNORE] * len(prompt) + answer)[:MAX_LEN]
    pad = MAX_LEN - len(ids)
    return ids + [0] * pad, labels + [IGNORE] * pad


def sample(rng):
    length = rng.randint(6, 38) if rng.random() < 0.75 else rng.randint(34, 48)
    first = rng.randint(1, 31)
    return [first] * length, [first + 31, first + 32, 1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--batch_size", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    data = [encode(*sample(rng)) for _ in range(360)]
    model = TinyDecoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(120):
        batch = rng.sample(data, args.batch_size)
        ids = torch.tensor([b[0] for b in batch])
        labels = torch.tensor([b[1] for b in batch])
        logits = model(ids)
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORE)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 10 == 0:
            print({"step": step, "loss": round(loss.item(), 4)})


if __name__ == "__main__":
    main()
