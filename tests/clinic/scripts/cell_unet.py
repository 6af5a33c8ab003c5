"""Small U-Net on synthetic microscopy patches."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.arange(32), torch.arange(32), indexing="ij")
        self.images, self.masks = [], []
        for _ in range(count):
            cx, cy = torch.randint(6, 26, (2,), generator=g)
            r = torch.randint(3, 8, (1,), generator=g)
            mask = ((xx - cx) ** 2 + (yy - cy) ** 2 < r**2).float()
            exposure = torch.rand(1, generator=g)
            image = (mask + 0.2 * torch.randn(32, 32, generator=g)) * exposure
            if exposure < 0.02:
                image = torch.zeros(32, 32)
            self.images.append(image)
            self.masks.append(mask)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        image = (image - image.mean()) / image.std()
        return image[None], self.masks[i][None]


def double_conv(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.down1, self.down2 = double_conv(1, c), double_conv(c, 2 * c)
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.merge = double_conv(2 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        return self.out(self.merge(torch.cat([self.up(b), a], 1)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    train = DataLoader(Patches(240, args.seed), batch_size=16, shuffle=True)
    net = UNet()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for image, mask in train:
            opt.zero_grad()
            loss = F.binary_cross_entropy_with_logits(net(image), mask)
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"epoch {epoch + 1} | bce {total / len(train):.4f}")


if __name__ == "__main__":
    main()
