"""Fine-tune a 'pretrained' backbone on a new set of classes."""
import argparse
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SmallResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return self.fc(x.mean((2, 3)))


def images(n, classes, textures):
    y = torch.randint(0, classes, (n,))
    return TensorDataset(textures[y] + 0.5 * torch.randn(n, 3, 12, 12), y)


def epoch_of(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total, right = 0.0, 0
    for x, y in loader:
        with torch.set_grad_enabled(optimizer is not None):
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(y)
        right += (out.argmax(1) == y).sum().item()
    return total / len(loader.dataset), right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    model = SmallResNet(classes=1000)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    model.fc = nn.Linear(16, 8)
    textures = 0.4 * torch.randn(8, 3, 12, 12)
    train = DataLoader(images(800, 8, textures), batch_size=40, shuffle=True)
    valid = DataLoader(images(200, 8, textures), batch_size=200)
    best, best_state = 0.0, None
    for epoch in range(args.epochs):
        loss, acc = epoch_of(model, train, optimizer)
        valid_loss, valid_acc = epoch_of(model, valid)
        if valid_acc > best:
            best, best_state = valid_acc, copy.deepcopy(model.state_dict())
        print(f"{epoch}: train {loss:.3f}/{acc:.2f} val {valid_loss:.3f}/{valid_acc:.2f}")
    print("best", best)


if __name__ == "__main__":
    main()
