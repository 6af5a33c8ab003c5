"""Word-level language model with truncated backpropagation through time."""
import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="LSTM language model")
parser.add_argument("--seed", type=int, default=1111)
parser.add_argument("--bptt", type=int, default=20)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--lr", type=float, default=2e-3)
args = parser.parse_args()
torch.manual_seed(args.seed)


class RNNModel(nn.Module):
    def __init__(self, ntoken=60, ninp=48, nhid=64):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, nhid)
        self.decoder = nn.Linear(nhid, ntoken)
        self.nhid = nhid

    def forward(self, tokens, hidden):
        output, hidden = self.rnn(self.encoder(tokens), hidden)
        return self.decoder(output), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        return weight.new_zeros(1, bsz, self.nhid), weight.new_zeros(1, bsz, self.nhid)


corpus = (torch.arange(8000) * 7 % 53 + torch.randint(0, 3, (8000,))) % 60
source = corpus.view(16, -1).t().contiguous()
model = RNNModel()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
for epoch in range(1, 4):
    hidden = model.init_hidden(16)
    for i in range(0, source.size(0) - 1 - args.bptt, args.bptt):
        data, targets = source[i : i + args.bptt], source[i + 1 : i + 1 + args.bptt]
        optimizer.zero_grad()
        output, hidden = model(data, hidden)
        loss = criterion(output.flatten(0, 1), targets.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
    print(f"| epoch {epoch} | loss {loss.item():5.2f}")
