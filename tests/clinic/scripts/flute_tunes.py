"""Tunes that go on from note to note; time runs along the first axis."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn

NOTES, BEATS = 18, 30


def tunes(count):
    now = torch.randint(0, NOTES, (count,))
    heard = [now]
    for _ in range(BEATS):
        now = (now + torch.tensor([-2, -1, 1, 2, 5])[torch.randint(0, 5, (count,))]) % NOTES
        heard.append(now)
    return torch.stack(heard)


class Player(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.note, self.beat = nn.Embedding(NOTES, width), nn.Embedding(BEATS, width)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 4, 64, 0.0), 2)
        self.head = nn.Linear(width, NOTES)

    def forward(self, notes, mask=None):
        places = torch.arange(len(notes)).unsqueeze(1)
        return self.head(self.body(self.note(notes) + self.beat(places), mask))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    player = Player()
    optimizer = torch.optim.AdamW(player.parameters(), lr=2e-3)
    for step in range(120):
        tune = tunes(20)
        loss = F.cross_entropy(player(tune[:-1]).permute(1, 2, 0), tune[1:].t())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.3f}")


main()
