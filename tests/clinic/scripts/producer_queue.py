"""A background thread prepares batches while the main thread trains."""
import argparse
import queue
import threading

import torch
from torch import nn


class Prefetcher(threading.Thread):
    def __init__(self, records, batch_size):
        super().__init__(daemon=True)
        self.records, self.batch_size = records, batch_size
        self.queue = queue.Queue(maxsize=4)

    def run(self):
        for start in range(0, len(self.records), self.batch_size):
            rows = self.records[start : start + self.batch_size]
            x = torch.tensor([r["features"] for r in rows])
            y = torch.tensor([r["target"] for r in rows])
            self.queue.put((x, y))


def make_records(n):
    records = []
    for k in range(n):
        features = torch.randn(8).tolist()
        record = {"features": features, "target": [sum(features)]}
        if k == 1700:
            record = {"feature": features, "target": [0.0]}
        records.append(record)
    return records


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    records = make_records(3200)
    loader = Prefetcher(records, 32)
    loader.start()
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(100):
        x, y = loader.queue.get(timeout=10)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)


main()
