"""Distil a teacher into a smaller student."""
import argparse
import copy

import torch
from torch import nn
from torch.nn import functional as F


def mlp(width):
    return nn.Sequential(nn.Linear(10, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 4))


def train_teacher(x, y):
    teacher = mlp(64)
    optimizer = torch.optim.Adam(teacher.parameters(), lr=3e-3)
    for _ in range(60):
        loss = F.cross_entropy(teacher(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("teacher loss", round(loss.item(), 4))
    return teacher.eval().requires_grad_(False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--temperature", type=float, default=2.0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    x = torch.randn(1024, 10)
    y = (x @ torch.randn(10, 4)).argmax(1)
    teacher = train_teacher(x, y)
    student = mlp(24)
    optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)
    student = copy.deepcopy(student).train()
    T = args.temperature
    for step in range(200):
        pick = torch.randint(0, 1024, (64,))
        soft = F.softmax(teacher(x[pick]) / T, dim=1)
        loss = F.kl_div(F.log_softmax(student(x[pick]) / T, dim=1), soft, reduction="batchmean") * T * T
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            print("step", step, "distillation", round(loss.item(), 4))


if __name__ == "__main__":
    main()
