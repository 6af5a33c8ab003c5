import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)

n, d = 2000, 14
X = torch.randn(n, d)
coef = torch.randn(d)
y = (torch.sigmoid(X @ coef) > torch.rand(n)).float().unsqueeze(1)

class ChurnModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(d, 32)
        self.act = nn.LeakyReLU()
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.act(self.hidden(x)))

model = ChurnModel()
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=40, shuffle=True)
for epoch in range(3):
    for xb, yb in loader:
        pred = model(xb)
        loss = criterion(pred, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch}: {loss.item():.4f}")
