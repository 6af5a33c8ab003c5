"""Makes contours in the manner of one of several speakers."""
import argparse

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, speakers=6, width=40):
        super().__init__()
        self.notes = nn.Embedding(16, width)
        self.speaker_table = nn.Embedding(speakers, width)
        self.mix = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, notes, speaker=None):
        hidden = self.notes(notes)
        if speaker is not None:
            hidden = hidden + self.speaker_table(speaker)[:, None]
        return self.mix(hidden).squeeze(-1)


def batches(heights, offsets, count=32):
    while True:
        who = torch.randint(0, len(offsets), (count,))
        notes = torch.randint(0, len(heights), (count, 10))
        yield {"notes": notes, "speakers": who, "contour": heights[notes] + offsets[who][:, None]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    stream = batches(torch.randn(16), torch.randn(6))
    model = Decoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(150):
        batch = next(stream)
        wanted = {key: batch[key] for key in ("notes", "speaker") if key in batch}
        loss = (model(**wanted) - batch["contour"]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step} loss {loss.item():.4f}")


main()
