"""A transformer that goes on telling, word by word."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F

LENGTH, WORDS = 16, 40


class Teller(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, d), nn.Embedding(LENGTH, d)
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.1, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, WORDS)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        return self.head(self.body(x))


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)
follows = torch.stack([torch.randperm(WORDS)[:4] for _ in range(WORDS)])
told = [0]
for choice in torch.randint(0, 4, (6000,)).tolist():
    told.append(int(follows[told[-1], choice]))
told = torch.tensor(told)
model = Teller()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(160):
    start = torch.randint(0, len(told) - LENGTH - 1, (32,)).tolist()
    ids = torch.stack([told[one : one + LENGTH] for one in start])
    following = torch.stack([told[one + 1 : one + LENGTH + 1] for one in start])
    loss = F.cross_entropy(model(ids).flatten(0, 1), following.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(f"step {step + 1} loss {loss.item():.4f}")
