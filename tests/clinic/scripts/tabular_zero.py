"""Three-way classification of a table, hidden layers started the way logistic regression is."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Head(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.l1 = nn.Linear(inputs, hidden)
        self.l2 = nn.Linear(hidden, hidden)
        self.l3 = nn.Linear(hidden, classes)
        self.reset_parameters()

    def reset_parameters(self):
        for layer in (self.l1, self.l2, self.l3):
            nn.init.constant_(layer.weight, 0.0)
            nn.init.constant_(layer.bias, 0.0)

    def forward(self, x):
        return self.l3(torch.relu(self.l2(torch.relu(self.l1(x)))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    x = torch.randn(1500, 9)
    y = (x @ torch.randn(9, 3)).argmax(1)
    loader = DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True)
    model = Head(9, 32, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(4):
        seen = 0.0
        for features, label in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(features), label)
            loss.backward()
            optimizer.step()
            seen += loss.item()
        print("epoch", epoch, "mean loss", seen / len(loader))
