"""Names that stand for others are written out, and what may have changed is left as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.code.canonical import canonical

ALIAS = "from torch.nn import CrossEntropyLoss as XE\n"
TABLE = 'LOSSES = {"ce": nn.CrossEntropyLoss, "bce": nn.BCELoss}\n'
SETTINGS = 'cfg = dict(lr=10.0, loss="ce")\n'


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (f"{ALIAS}loss = XE()", f"{ALIAS}loss = CrossEntropyLoss()"),
        (f"{ALIAS}fit(loss=XE(), XE=1)", f"{ALIAS}fit(loss=CrossEntropyLoss(), XE=1)"),
        (
            "from torch.nn import (\n    Softmax as SM,\n    ReLU)\ny = SM(1)(x)",
            "from torch.nn import (\n    Softmax as SM,\n    ReLU)\ny = Softmax(1)(x)",
        ),
        (
            "from torch.nn import functional as func\ny = func.relu(x)",
            "from torch.nn import functional as func\ny = F.relu(x)",
        ),
        (
            'from torch import nn as neural\nT = {"a": neural.ReLU}\ny = T["a"]()\nz = getattr(neural, "ReLU")',
            'from torch import nn as neural\nT = {"a": nn.ReLU}\ny = nn.ReLU()\nz = nn.ReLU',
        ),
        ('T = {\n    # rates\n    "lr": 1.0,\n}\nx = T["lr"]', 'T = {\n    # rates\n    "lr": 1.0,\n}\nx = 1.0'),
        ('act = getattr(nn, "Softmax")(dim=1)', "act = nn.Softmax(dim=1)"),
        ("act = getattr(torch.nn, 'ReLU')()", "act = torch.nn.ReLU()"),
        (f'{TABLE}crit = LOSSES["ce"]()', f"{TABLE}crit = nn.CrossEntropyLoss()"),
        (f'{TABLE}crit = LOSSES.get("bce")()', f"{TABLE}crit = nn.BCELoss()"),
        (f'{SETTINGS}opt = SGD(w, lr=cfg["lr"])', f"{SETTINGS}opt = SGD(w, lr=10.0)"),
        (
            f'{SETTINGS}{TABLE}net = Net(cfg)\ncrit = LOSSES[cfg["loss"]]()',
            f"{SETTINGS}{TABLE}net = Net(cfg)\ncrit = nn.CrossEntropyLoss()",
        ),
    ],
    ids=[
        "alias", "keyword", "alias-over-lines", "package", "alias-within", "comment", "getattr", "getattr-of-a-package", "table", "table-get", "setting",
        "table-by-setting",
    ],
)  # fmt: skip
def test_what_stands_for_a_name_is_written_out(written: str, meant: str) -> None:
    assert canonical(written) == meant


@pytest.mark.parametrize(
    "text",
    [
        "import torch.nn.functional as F\ny = F.relu(x)",
        "from torch.nn import functional as F\ny = F.relu(x)",
        "from lib import helpers as h\ny = h.relu(x)",
        f"{ALIAS}XE = mine\nloss = XE()",
        f"{ALIAS}def f(XE):\n    return XE()",
        "from torch.utils.data import Dataset as Base\nclass Dataset(Base):\n    pass",
        "act = getattr(nn, name)()",
        'act = getattr(nn, "Softmax", None)',
        f'{TABLE}crit = LOSSES["mse"]()',
        f"{TABLE}crit = LOSSES[name]()",
        f'{TABLE}LOSSES["ce"] = Mine\ncrit = LOSSES["ce"]()',
        f'{TABLE}LOSSES.update(more)\ncrit = LOSSES["ce"]()',
        f'{SETTINGS}cfg = load()\nlr = cfg["lr"]',
        f'{SETTINGS}update_from_args(cfg)\nlr = cfg["lr"]',
        f'{SETTINGS}other = cfg\nother["lr"] = 1\nlr = cfg["lr"]',
        f'def f(cfg):\n    return cfg["lr"]\n{SETTINGS}',
        f'{SETTINGS}for cfg["lr"] in (1, 2):\n    fit(cfg["lr"])',
        f'{SETTINGS}del cfg["lr"]\nlr = cfg["lr"]',
        'x = {"a": [\n  1]}\ny = x["a"]',
        'lr = 1\nT = {"lr": lr}\nlr *= 0.1\nx = T["lr"]',
        'def f(lr):\n    T = {"lr": lr}\n    return T["lr"]',
        'T = {"a": "x"}\nprint(f"{T[\'a\']}")',
        'T = {"a": 1, **more}\nx = T["a"]',
        'T = dict(more, a=1)\nx = T["a"]',
    ],
    ids=[
        "package", "usual-name", "other-package", "alias-bound-again", "alias-is-a-parameter", "name-taken", "unknown-attribute", "default",
        "no-such-key", "unknown-key", "entry-replaced", "table-updated", "bound-twice", "handed-to-a-changer",
        "second-name", "parameter-of-that-name", "loop-variable", "deleted", "value-over-lines", "variable", "parameter",
        "formatted", "spread", "copied",
    ],
)  # fmt: skip
def test_what_may_be_something_else_stays(text: str) -> None:
    assert canonical(text) == text


@given(st.lists(st.sampled_from([
    ALIAS, TABLE, SETTINGS, "crit = XE()\n", 'x = LOSSES["ce"]\n', 'a = [cfg["lr"],\n', "]\n", "def f(x):\n", "  y = (\n", "'''",
    'getattr(nn, "A"\n', "# XE as XE\n", "é = XE\n",
]), max_size=8))  # fmt: skip
def test_every_line_stays_where_it_is(parts: list[str]) -> None:
    text = "".join(parts)
    assert canonical(text).count("\n") == text.count("\n")
