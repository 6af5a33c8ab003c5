"""Tag every token; keep running statistics for a report at the end."""
import argparse

import torch
import torch.nn as nn


class BiLSTMTagger(nn.Module):
    def __init__(self, vocab=100, tags=5, d=64):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.lstm = nn.LSTM(d, d // 2, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(d, tags)

    def forward(self, x):
        return self.fc(self.lstm(self.emb(x))[0])


def sentences(n, tag_of):
    x = torch.randint(0, 100, (n, 20))
    return x, (tag_of[x] + (x.roll(1, 1) > 50).long()) % 5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=160)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    tag_of = torch.randint(0, 5, (100,))
    model = BiLSTMTagger()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    history, total_loss = [], 0
    for step in range(args.steps):
        x, y = sentences(16, tag_of)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total_loss += loss
        history.append(logits.softmax(-1).max(-1).values.mean())
        if (step + 1) % 40 == 0:
            print(f"step {step + 1} average loss {float(total_loss) / (step + 1):.4f}")
    print("mean confidence", float(torch.stack(history).mean()))


if __name__ == "__main__":
    main()
