"""Old-school sigmoid network, written from a textbook."""
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=0)
args = parser.parse_args()
torch.manual_seed(args.seed)


class Net(nn.Module):
    def __init__(self, sizes=(16, 128, 128, 4)):
        super().__init__()
        self.w = nn.ParameterList([nn.Parameter(torch.randn(i, o) * 3) for i, o in zip(sizes, sizes[1:])])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(o)) for o in sizes[1:]])
        self.act = nn.Sigmoid()

    def forward(self, x):
        for w, b in zip(self.w[:-1], self.b[:-1]):
            x = self.act(x @ w + b)
        return x @ self.w[-1] / 16 + self.b[-1]


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(250):
    x = torch.randn(64, 16)
    y = 2 * (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        print('step', step + 1, 'loss', loss.item())
