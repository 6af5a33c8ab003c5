"""What the script prints of its own errors and warnings is the same when it is watched."""

from __future__ import annotations

from pathlib import Path

from .running import run_bare, watch

# Each part fails or warns below a function of torch's that the observer stands before.
PRELUDE = """
import logging, sys, traceback, warnings
import torch
from torch import nn
from torch.utils.data import DataLoader

class Fails(Exception):
    pass

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 1)
        self.act = None
    def forward(self, x):
        if self.act is not None:
            self.act()
        return self.inner(x)

class Rows:
    def __init__(self):
        self.broken = False
    def __len__(self):
        return 4
    def __getitem__(self, index):
        if self.broken:
            raise Fails("no such sample")
        return torch.ones(4)

class Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, grad):
        raise Fails("in backward")

class Broken(torch.optim.SGD):
    def step(self, closure=None):
        if self.broken:
            raise Fails("in step")
        return super().step(closure)
    broken = False

def fail():
    raise Fails("in forward")

def train(value=1.0):
    optimizer.zero_grad()
    loss = model(torch.full((2, 4), value)).mean()
    loss.backward()
    optimizer.step()

def printed(call):
    try:
        call()
    except Fails:
        traceback.print_exc()
    except Exception:
        logging.exception("another")

model, data = Net(), Rows()
optimizer = Broken(model.parameters(), lr=0.1)
loader = DataLoader(data, batch_size=2)
for batch in loader:
    train()
"""
CAUGHT = """
model.act = fail
printed(train)
model.act = None
printed(lambda: Backward.apply(model(torch.ones(2, 4))).mean().backward())
printed(lambda: model(torch.ones(2, 3)))
printed(lambda: model(torch.ones(2, 4)).mean().detach().backward())
optimizer.broken = True
printed(train)
optimizer.broken = False
printed(lambda: torch.optim.SGD([], lr=0.1))
data.broken = True
printed(lambda: next(iter(loader)))
def leaves():
    try:
        sys.exit(3)
    except SystemExit as error:
        raise Fails("after it") from error
printed(leaves)
for level in range(1, 8):
    model.act = lambda: warnings.warn(f"level {level}", stacklevel=level)
    train()
torch.optim.lr_scheduler.StepLR(optimizer, 1).step()
"""
# Warnings of torch's own, in Python and in C code, over steps that are sampled and steps that are not.
WARNED = """
for step in range(12):
    optimizer.zero_grad()
    out = model(torch.ones(2, 4))
    nn.functional.softmax(out)
    (out * 2).grad
    torch.range(0, 1)
    if step > 3:
        nn.Softmax()(out)
        nn.MSELoss()(out, torch.ones(2, 2))
    out.mean().backward()
    optimizer.step()
    if step == 6:
        printed(lambda: nn.functional.cross_entropy(out, torch.tensor([0, 9])))
        printed(lambda: nn.functional.linear(out, torch.ones(7, 7)))
"""
UNCAUGHT = """
model.act = fail
try:
    train()
except Fails as error:
    raise RuntimeError("the epoch failed") from error
"""
# The first step gives NaN, so that the observer looks at the second, where the loss raises.
IN_A_LOOK = """
train(float("nan"))
model(torch.ones(2, 4))
nn.functional.cross_entropy(model(torch.ones(2, 4)), torch.tensor([0, 7]))
"""


def test_tracebacks_and_the_lines_of_warnings_stay_as_they_are(tmp_path: Path) -> None:
    script = PRELUDE + WARNED + CAUGHT + UNCAUGHT
    code, _, err = run_bare(script, tmp_path)
    watched = watch(script, tmp_path)
    assert (watched.code, watched.err.splitlines()) == (code, err.splitlines())
    assert err.count("Traceback") >= 9
    assert err.count("level ") >= 7
    assert not watched.of("trouble")


def test_the_traceback_of_a_step_that_is_looked_at_stays_as_it_is(tmp_path: Path) -> None:
    script = PRELUDE + IN_A_LOOK
    _, _, err = run_bare(script, tmp_path)
    watched = watch(script, tmp_path)
    assert watched.err.splitlines() == err.splitlines()
    assert watched.of("batch"), "the step before failed, so that this one is looked at"
