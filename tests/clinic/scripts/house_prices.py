import argparse
import csv
import io

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

COLUMNS = ["area", "rooms", "age", "distance", "garden"]


def make_csv(rows, generator):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*COLUMNS, "price"])
    table = torch.randn(rows, 5, generator=generator)
    price = table @ torch.tensor([2.0, 1.0, -0.5, -1.0, 0.3]) + 0.1 * torch.randn(rows, generator=generator)
    for number, (row, p) in enumerate(zip(table.tolist(), price.tolist())):
        cells = [f"{v:.4f}" for v in row]
        if number % 211 == 140:
            cells[4] = ""
        writer.writerow([*cells, f"{p:.4f}"])
    return out.getvalue()


def read_csv(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    value = lambda cell: float(cell) if cell else float("nan")
    features = torch.tensor([[value(r[c]) for c in COLUMNS] for r in rows])
    target = torch.tensor([value(r["price"]) for r in rows])
    return features, target.unsqueeze(1)


def main():
    p = argparse.ArgumentParser(description="Regression on a table")
    p.add_argument("--seed", type=int, default=42)
    p.add_argument("--lr", type=float, default=1e-2)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    x, y = read_csv(make_csv(1200, torch.Generator().manual_seed(a.seed)))
    loader = DataLoader(TensorDataset(x, y), batch_size=30, shuffle=True)
    model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=a.lr, momentum=0.9)
    criterion = nn.MSELoss()
    for epoch in range(4):
        running = 0.0
        for features, price in loader:
            optimizer.zero_grad()
            loss = criterion(model(features), price)
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"epoch {epoch}: mse {running / len(loader):.4f}")


main()
