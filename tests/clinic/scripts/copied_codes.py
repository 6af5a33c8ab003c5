"""An encoder and a decoder that learn to write down what they have read."""
import argparse

import torch
from torch import nn

CODES, LENGTH = 14, 10


class Copier(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.read, self.write = nn.Embedding(CODES, width), nn.Embedding(CODES, width)
        self.place = nn.Parameter(0.1 * torch.randn(1, LENGTH, width))
        self.core = nn.Transformer(width, 4, 1, 1, 96, 0.0, batch_first=True)
        self.head = nn.Linear(width, CODES)

    def forward(self, source, written):
        later = nn.Transformer.generate_square_subsequent_mask(written.size(1))
        source = self.read(source) + self.place[:, : source.size(1)]
        written = self.write(written) + self.place[:, : written.size(1)]
        return self.head(self.core(source, written, tgt_mask=later))


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
torch.manual_seed(parser.parse_args().seed)
model = Copier()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
rate = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, 1.0, total_iters=30)
for step in range(200):
    code = torch.randint(1, CODES, (48, LENGTH))
    code[:, 0] = 0
    scores = model(code, code[:, :-1])
    loss = nn.functional.cross_entropy(scores.reshape(-1, CODES), code[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    rate.step()
    if step % 20 == 0:
        print("step", step, "loss", round(loss.item(), 4))
