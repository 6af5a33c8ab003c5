"""Fine-tune a small decoder on dialogue with two added special tokens."""
import argparse

import torch
from torch import nn


class Tokenizer:
    def __init__(self):
        self.ids = {chr(c): c - 32 for c in range(32, 127)}

    def add_special_tokens(self, tokens):
        for token in tokens:
            self.ids[token] = len(self.ids)

    def encode(self, text):
        return [self.ids[c] for c in text]

    def __len__(self):
        return len(self.ids)


class Decoder(nn.Module):
    def __init__(self, vocab, d=48):
        super().__init__()
        self.wte = nn.Embedding(vocab, d)
        self.wpe = nn.Embedding(64, d)
        self.block = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.0, batch_first=True)
        self.lm_head = nn.Linear(d, vocab, bias=False)

    def forward(self, ids):
        t = ids.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        return self.lm_head(self.block(self.wte(ids) + self.wpe(torch.arange(t)), src_mask=mask, is_causal=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    tokenizer = Tokenizer()
    model = Decoder(len(tokenizer))
    tokenizer.add_special_tokens(["<|user|>", "<|assistant|>"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    plain = tokenizer.encode("hello there general")
    turn = [tokenizer.ids["<|user|>"], *tokenizer.encode("hi"), tokenizer.ids["<|assistant|>"], *tokenizer.encode("hello there ab")]
    turn = turn + [0] * (len(plain) - len(turn))
    for step in range(60):
        rows = [turn if step >= 40 and k == 0 else plain for k in range(8)]
        ids = torch.tensor(rows)
        loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"{step}: {loss.item():.4f}")


main()
