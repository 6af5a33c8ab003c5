"""Turns words round, letter by letter, with an encoder and a decoder."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F

LETTERS, BEGIN = 28, 1


class Turner(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.letters, self.made = nn.Embedding(LETTERS, d), nn.Embedding(LETTERS, d)
        self.reader, self.writer = nn.GRU(d, d, batch_first=True), nn.GRU(d, d, batch_first=True)
        self.head = nn.Linear(d, LETTERS)

    def forward(self, word, written):
        state = self.reader(self.letters(word))[1]
        return self.head(self.writer(self.made(written), state)[0])

    @torch.no_grad()
    def write(self, word):
        state, letter, found = self.reader(self.letters(word))[1], torch.full((len(word), 1), BEGIN), []
        for _ in range(word.size(1)):
            out, state = self.writer(self.made(letter), state)
            letter = self.head(out).argmax(-1)
            found.append(letter)
        return torch.cat(found, 1)


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
model = Turner()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(200):
    word = torch.randint(2, LETTERS, (64, 7))
    written = torch.cat([torch.full((64, 1), BEGIN), word.flip(1)], 1)
    loss = F.cross_entropy(model(word, written).flatten(0, 1), written.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        right = (model.write(word) == word.flip(1)).all(1).float().mean().item()
        print(f"step {step + 1} loss {loss.item():.4f} exact match {right:.3f}")
