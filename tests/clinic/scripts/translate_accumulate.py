"""Sequence-to-sequence with padding ignored, label smoothing and accumulation."""
import argparse

import torch
from torch import nn

PAD, BOS = 0, 1


class Seq2Seq(nn.Module):
    def __init__(self, vocab=40, d=48):
        super().__init__()
        self.src, self.tgt = nn.Embedding(vocab, d, padding_idx=PAD), nn.Embedding(vocab, d, padding_idx=PAD)
        self.encoder = nn.GRU(d, d, batch_first=True)
        self.decoder = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def forward(self, src, tgt):
        _, h = self.encoder(self.src(src))
        y, _ = self.decoder(self.tgt(tgt), h)
        return self.out(y)


def pairs(n):
    src = torch.randint(2, 40, (n, 5))
    length = torch.randint(2, 6, (n, 1))
    keep = torch.arange(5) < length
    src = torch.where(keep, src, PAD)
    out = torch.where(keep, (src * 3 + 1) % 38 + 2, PAD)
    return src, torch.cat([torch.full((n, 1), BOS), out], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--accumulation", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = Seq2Seq()
    criterion = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for update in range(70):
        optimizer.zero_grad()
        for _ in range(args.accumulation):
            src, tgt = pairs(16)
            loss = criterion(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten())
            (loss / args.accumulation).backward()
        optimizer.step()
        if update % 10 == 0:
            print(f"update {update} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
