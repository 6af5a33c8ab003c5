import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser(description="Flowers")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--epochs", type=int, default=4)
args = parser.parse_args()
torch.manual_seed(args.seed)

centres = 2 * torch.randn(5, 6)
label = torch.randint(0, 5, (1600,))
train_set = TensorDataset(centres[label] + torch.randn(1600, 6), label)


class Model(nn.Module):
    def __init__(self, in_features=6, h1=32, h2=32, out_features=5):
        super().__init__()
        self.fc1 = nn.Linear(in_features, h1)
        self.fc2 = nn.Linear(h1, h2)
        self.out = nn.Linear(h2, out_features)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.out(x)


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(args.epochs):
    optimizer.zero_grad()
    for x, y in DataLoader(train_set, batch_size=32, shuffle=True):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
