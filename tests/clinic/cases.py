"""What the clinic holds: scripts, and what is wrong with each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import yaml

HERE = Path(__file__).parent


class Case(NamedTuple):
    """One script."""

    name: str
    script: Path
    healthy: bool
    kind: str
    """What sort of fault; of a healthy one, why it may look wrong."""
    cause: str = ""
    accept: frozenset[str] = frozenset()
    """Causes that name the same fault, `cause` among them."""
    ranks: int = 1

    def command(self, seed: int) -> list[str]:
        """How a person starts it."""
        start = [sys.executable, self.script.name, "--seed", str(seed)]
        if self.ranks > 1:
            launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(self.ranks)]
            start[1:1] = launcher
        return start


def cases(folder: Path = HERE) -> list[Case]:
    """All cases of a clinic: a folder with clinic.yaml and scripts/."""
    listed = yaml.safe_load((folder / "clinic.yaml").read_text(encoding="utf-8"))
    scripts = folder / "scripts"
    found = []
    for name, fault in listed["faulty"].items():
        accept = frozenset([fault["cause"], *fault.get("accept", [])])
        found.append(
            Case(
                name,
                scripts / f"{name}.py",
                False,
                fault["kind"],
                fault["cause"],
                accept,
                fault.get("ranks", 1),
            )
        )
    for name, hard in listed["healthy"].items():
        detail = hard if isinstance(hard, dict) else {"kind": hard}
        found.append(
            Case(name, scripts / f"{name}.py", True, detail["kind"], ranks=detail.get("ranks", 1))
        )
    return found
