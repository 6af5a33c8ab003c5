"""A recurrent reader of dialogues that rehearses earlier turns from a memory."""
import argparse
import random
from dataclasses import dataclass, field

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Turn:
    words: torch.Tensor
    reply: torch.Tensor
    state: torch.Tensor


@dataclass
class Memory:
    turns: list = field(default_factory=list)

    def add(self, turn):
        self.turns.append(turn)

    def recall(self, count):
        chosen = random.choices(self.turns, k=count)
        with torch.no_grad():
            return [torch.stack([getattr(one, name) for one in chosen]) for name in ("words", "reply", "state")]


class Reader(nn.Module):
    def __init__(self, vocabulary=120, width=96):
        super().__init__()
        self.width = width
        self.embed = nn.Embedding(vocabulary, width)
        self.cell = nn.GRUCell(width, width)
        self.answer = nn.Linear(width, vocabulary)

    def forward(self, words, state):
        state = self.cell(self.embed(words).mean(-2), state)
        return self.answer(state), state


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    reader, memory = Reader(), Memory()
    optimizer = torch.optim.Adam(reader.parameters(), lr=1e-3)
    for number in range(140):
        state = torch.zeros(8, reader.width)
        for _ in range(4):
            words = torch.randint(0, 120, (8, 6))
            before = state
            _, state = reader(words, state)
            for i in range(8):
                memory.add(Turn(words[i], words[i, 0], before[i]))
        words, reply, state = memory.recall(32)
        scores, _ = reader(words, state)
        loss = F.cross_entropy(scores, reply)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 20 == 0:
            print(f"dialogue {number} loss {loss.item():.3f} turns {len(memory.turns)}")


if __name__ == "__main__":
    main()
