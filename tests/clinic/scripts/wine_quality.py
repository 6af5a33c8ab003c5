import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=0)
parser.add_argument('--learning-rate', type=float, default=0.9)
args = parser.parse_args()
torch.manual_seed(args.seed)

n = 1000
X = torch.randn(n, 11)
w = torch.randn(11, 1)
y = torch.tanh(X @ w) * 3 + 0.1 * torch.randn(n, 1)

model = torch.nn.Sequential(
    torch.nn.Linear(11, 100),
    torch.nn.ReLU(),
    torch.nn.Linear(100, 100),
    torch.nn.ReLU(),
    torch.nn.Linear(100, 1),
)
loss_fn = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=args.learning_rate, momentum=0.9)

for epoch in range(3):
    order = torch.randperm(n)
    for i in range(0, n, 50):
        idx = order[i:i + 50]
        y_pred = model(X[idx])
        loss = loss_fn(y_pred, y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
