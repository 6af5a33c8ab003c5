"""Mixup with soft labels and an exponential moving average of the weights."""
import argparse

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alpha", type=float, default=0.4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    prototypes = torch.randn(5, 1, 12, 12)
    y = torch.randint(0, 5, (1200,))
    x = prototypes[y] + torch.randn(1200, 1, 12, 12)
    train = DataLoader(TensorDataset(x[:1000], y[:1000]), batch_size=50, shuffle=True)
    net = nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(300, 5)
    )
    ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.98), use_buffers=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, nesterov=True, weight_decay=5e-4)
    criterion = nn.CrossEntropyLoss()
    beta = torch.distributions.Beta(args.alpha, args.alpha)
    for epoch in range(6):
        net.train()
        for images, labels in train:
            lam, order = beta.sample(), torch.randperm(len(images))
            onehot = nn.functional.one_hot(labels, 5).float()
            target = lam * onehot + (1 - lam) * onehot[order]
            loss = criterion(net(lam * images + (1 - lam) * images[order]), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update_parameters(net)
        ema.eval()
        with torch.no_grad():
            accuracy = (ema(x[1000:]).argmax(1) == y[1000:]).float().mean()
        print(f"epoch {epoch} loss {loss.item():.4f} ema accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
