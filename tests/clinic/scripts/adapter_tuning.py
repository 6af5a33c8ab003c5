"""Parameter-efficient tuning: low-rank adapters inside a pretrained encoder."""
import argparse

import torch
from torch import nn


class LowRankLinear(nn.Module):
    def __init__(self, base, rank=4, alpha=8):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.02)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * x @ self.down.t() @ self.up.t()


class Encoder(nn.Module):
    def __init__(self, vocab=80, d=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.fc1 = nn.Linear(d, 96)
        self.fc2 = nn.Linear(96, d)
        self.norm = nn.LayerNorm(d)
        self.classifier = nn.Linear(d, 4)

    def forward(self, ids):
        x = self.embed(ids).mean(1)
        return self.classifier(self.norm(x + self.fc2(torch.relu(self.fc1(x)))))


def add_adapters(model):
    model.fc1 = LowRankLinear(model.fc1)
    model.fc2 = LowRankLinear(model.fc2)
    for name, parameter in model.named_parameters():
        parameter.requires_grad = "lora_" in name
    trainable = [p for p in model.parameters() if p.requires_grad]
    total = sum(p.numel() for p in model.parameters())
    print(f"trainable params: {sum(p.numel() for p in trainable)} || all params: {total}")
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = add_adapters(Encoder())
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    table = torch.rand(4, 80) ** 5
    for step in range(100):
        labels = torch.randint(0, 4, (32,))
        ids = torch.multinomial(table[labels], 10, replacement=True)
        loss = nn.functional.cross_entropy(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    main()
