"""GRU over token sequences, one topic each."""
import argparse

import torch
from torch import nn


class TopicRNN(nn.Module):
    def __init__(self, vocab, topics):
        super().__init__()
        self.emb = nn.Embedding(vocab, 32)
        self.gru = nn.GRU(32, 64, batch_first=True)
        self.fc = nn.Linear(64, topics)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        _, h = self.gru(self.emb(x))
        return self.softmax(self.fc(h[-1]))


ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=11)
args = ap.parse_args()
torch.manual_seed(args.seed)
topics = 6
words = torch.rand(topics, 120).softmax(1) * torch.rand(topics, 120) ** 4
net = TopicRNN(120, topics)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
crit = nn.NLLLoss()
for i in range(150):
    y = torch.randint(0, topics, (32,))
    x = torch.multinomial(words[y], 12, replacement=True)
    out = net(x)
    loss = crit(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (i + 1) % 25 == 0:
        print(f"{i + 1:4d}  loss {loss:.4f}  acc {(out.argmax(1) == y).float().mean():.2f}")
