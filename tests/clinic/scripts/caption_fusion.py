"""Classify from an image vector and a question: two encoders, one head."""
import argparse

import torch
from torch import nn


class Fusion(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.image_encoder = nn.Sequential(nn.Linear(32, width), nn.ReLU(), nn.Linear(width, width))
        self.text_embed = nn.Embedding(50, width)
        self.position = nn.Parameter(torch.randn(8, width) * 0.1)
        self.attend = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, image, question):
        image_token = self.image_encoder(image).unsqueeze(1)
        text_tokens = self.text_embed(question)
        text_tokens = self.position.expand(len(question), -1, -1)
        query = self.position[:1].expand(len(image), -1, -1)
        fused, _ = self.attend(query, text_tokens, text_tokens, need_weights=False)
        return self.head(self.norm(fused.squeeze(1)))


def batch(n, prototypes):
    kind = torch.randint(0, 10, (n,))
    question = torch.randint(10, 50, (n, 8))
    question[:, 0] = kind
    return prototypes[kind] + 0.5 * torch.randn(n, 32), question, kind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    prototypes = torch.randn(10, 32)
    model = Fusion()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(150):
        image, question, label = batch(32, prototypes)
        logits = model(image, question)
        loss = nn.functional.cross_entropy(logits, label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 30 == 0:
            print(f"step {step}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
