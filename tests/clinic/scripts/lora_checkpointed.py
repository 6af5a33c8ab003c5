"""LoRA on a frozen encoder with gradient checkpointing."""
import argparse

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class LoRA(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.randn(r, base.in_features) / base.in_features**0.5)
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + 2.0 * (x @ self.lora_A.t()) @ self.lora_B.t()


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d).requires_grad_(False)
        self.fc1, self.fc2 = LoRA(nn.Linear(d, 2 * d)), LoRA(nn.Linear(2 * d, d))

    def forward(self, x):
        return x + self.fc2(torch.nn.functional.gelu(self.fc1(self.norm(x))))


class Model(nn.Module):
    def __init__(self, vocab=60, d=48, depth=3, classes=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, d).requires_grad_(False)
        self.blocks = nn.ModuleList(Block(d) for _ in range(depth))
        self.score = nn.Linear(d, classes)

    def forward(self, ids):
        x = self.embed(ids).requires_grad_(True)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.score(x.mean(1))


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--lr", type=float, default=3e-3)
args = parser.parse_args()
torch.manual_seed(args.seed)
model = Model()
trainable = [p for p in model.parameters() if p.requires_grad]
print(f"training {sum(p.numel() for p in trainable)} of {sum(p.numel() for p in model.parameters())} parameters")
optimizer = torch.optim.AdamW(trainable, lr=args.lr, weight_decay=0.0)
table = torch.rand(4, 60) ** 4
for step in range(120):
    label = torch.randint(0, 4, (32,))
    ids = torch.multinomial(table[label], 12, replacement=True)
    loss = nn.functional.cross_entropy(model(ids), label)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print({"step": step, "loss": round(loss.item(), 4)})
