"""Train on records parsed from text lines."""
import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, lines):
        self.lines = lines

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        record = json.loads(self.lines[i])
        histogram = [0.0] * 64
        for event in record["events"]:
            for token in event["text"].split():
                histogram[sum(map(ord, token)) % 64] += 1.0
        total = sum(histogram)
        return torch.tensor([h / total for h in histogram]), torch.tensor(record["label"])


def make_lines(count, generator):
    lines = []
    for _ in range(count):
        label = int(torch.randint(0, 2, (1,), generator=generator))
        words = torch.randint(0, 400 + 200 * label, (2000,), generator=generator).tolist()
        events = [{"text": " ".join(f"w{w}" for w in words[k : k + 6])} for k in range(0, 2000, 6)]
        lines.append(json.dumps({"label": label, "events": events}))
    return lines


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--workers", type=int, default=0)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    loader = DataLoader(
        Lines(make_lines(400, torch.Generator().manual_seed(a.seed))), batch_size=32, shuffle=True, num_workers=a.workers
    )
    net = nn.Sequential(nn.BatchNorm1d(64), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(8):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
