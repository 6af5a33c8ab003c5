"""Node classification: the whole graph in every step."""
import argparse

import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.w1, self.w2 = nn.Linear(inputs, hidden), nn.Linear(hidden, classes)

    def forward(self, x, adj):
        h = torch.relu(self.w1(adj @ x))
        h = nn.functional.dropout(h, 0.5, training=self.training)
        return self.w2(adj @ h)


def communities(n=300, classes=3):
    y = torch.arange(n) % classes
    same = y[:, None] == y[None]
    a = (torch.rand(n, n) < torch.where(same, 0.05, 0.005)).float()
    a = ((a + a.t()) > 0).float() + torch.eye(n)
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d, torch.randn(n, 12) + 0.3 * torch.randn(classes, 12)[y], y


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    adj, x, y = communities()
    train = torch.rand(len(y)) < 0.4
    model = GCN(12, 32, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
    for epoch in range(120):
        model.train()
        loss = nn.functional.cross_entropy(model(x, adj)[train], y[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 20 == 0:
            model.eval()
            with torch.no_grad():
                accuracy = (model(x, adj)[~train].argmax(1) == y[~train]).float().mean()
            print(f"epoch {epoch} loss {loss.item():.4f} accuracy {accuracy:.3f}")
