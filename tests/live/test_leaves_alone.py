"""What a script does with its models and optimizers beside training them, it does as if nobody watched."""

from __future__ import annotations

from pathlib import Path

from .running import run_bare, watch

SCRIPT = """
import copy, gc, io, pickle, threading, warnings, weakref
import torch
from torch import nn
warnings.simplefilter("ignore")
torch.set_default_device("cpu")
torch.manual_seed(0)
F = nn.functional

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last, self.drop = nn.Linear(4, 8), nn.Linear(8, 2), nn.Dropout(0.1)
    def forward(self, x):
        return self.last(self.drop(torch.relu(self.first(x))))

class Wrapper(nn.Module):  # as nn.DataParallel, on threads
    def __init__(self, module):
        super().__init__()
        self.module = module
    def forward(self, x):
        out = {}
        def run(number, part):
            out[number] = self.module(part)
        threads = [threading.Thread(target=run, args=each) for each in enumerate(x.chunk(2))]
        for one in threads: one.start()
        for one in threads: one.join()
        return torch.cat([out[0], out[1]])

def step(model, *optimizers):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    for one in optimizers: one.zero_grad()
    F.cross_entropy(model(x), y).backward()
    for one in optimizers: one.step()
    return x, y

def saved(value):
    file = io.BytesIO()
    torch.save(value, file)
    return len(file.getvalue()), b"traindx" in file.getvalue()

net = Net()
ema = copy.deepcopy(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
for number in range(12):
    x, y = step(net, optimizer)
    with torch.inference_mode():
        net.eval()
        print(number, net(x).sum().item(), ema(x).sum().item())
    parameters = dict(net.named_parameters())
    def loss(parameters, x, y):
        return F.cross_entropy(torch.func.functional_call(net, parameters, (x[None],)), y[None])
    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
    print(each["last.weight"].sum().item(), torch.func.jacrev(net)(x[0]).sum().item(), torch.vmap(net)(x).sum().item())
    if number in (0, 4):
        print(saved(net), saved(optimizer.state_dict()), len(pickle.dumps(net.state_dict())))
        print(torch.jit.trace(net, x).code, torch.jit.script(net).code)
        print(torch.fx.symbolic_trace(nn.Sequential(net, nn.Linear(2, 2))).graph)
        print(sorted(vars(copy.deepcopy(net))), sorted(vars(optimizer)))
    net.train()
net.share_memory()
step(net, optimizer)

wrapped = Wrapper(Net())
wrapped.module.drop = nn.Identity()  # threads would draw in any order
both = [torch.optim.Adam(wrapped.module.first.parameters()), torch.optim.SGD(wrapped.module.last.parameters(), 0.1)]
for _ in range(12):
    step(wrapped, *both)

bent = nn.Linear(4, 2)
lbfgs = torch.optim.LBFGS(bent.parameters(), max_iter=4)
def closure():
    lbfgs.zero_grad()
    value = F.cross_entropy(bent(x), y)
    value.backward()
    return value
print([lbfgs.step(closure).item() for _ in range(4)])
print([sum(p.sum().item() for p in one.parameters()) for one in (net, wrapped, bent)], torch.rand(2))

def fold():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(12):
        step(model, optimizer)
    return [weakref.ref(one) for one in (model, optimizer, model.first.weight)]

folds = [fold() for _ in range(4)]
gc.collect()
print([[one() is not None for one in fold] for fold in folds[:-1]])
"""


def test_copies_traces_transforms_and_dropped_models_are_as_without_us(tmp_path: Path) -> None:
    _, out, err = run_bare(SCRIPT, tmp_path)
    watched = watch(SCRIPT, tmp_path)
    assert (watched.out.splitlines(), watched.err.splitlines()) == (out.splitlines(), err.splitlines())
    assert watched.code == 0
    assert not watched.of("trouble")


def test_the_rows_of_a_loop_that_stands_still_are_written_within_seconds(tmp_path: Path) -> None:
    script = """
import os, signal, time, torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(40):
    model(torch.ones(1, 2)).mean().backward()
    optimizer.step()
time.sleep(2.5)
os.kill(os.getpid(), signal.SIGKILL)
"""
    rows = [step for record in watch(script, tmp_path).of("steps") for step in record["step"]]
    assert rows == list(range(1, 41))
