"""What the clinic holds: scripts, and what is wrong with each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

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
    return [
        *(_faulty(scripts / f"{name}.py", said) for name, said in listed["faulty"].items()),
        *(_healthy(scripts / f"{name}.py", said) for name, said in listed["healthy"].items()),
    ]


def _faulty(script: Path, said: dict[str, Any]) -> Case:
    accept = frozenset([said["cause"], *said.pop("accept", [])])
    return Case(script.stem, script, healthy=False, accept=accept, **said)


def _healthy(script: Path, said: dict[str, Any] | str) -> Case:
    more = {"kind": said} if isinstance(said, str) else said
    return Case(script.stem, script, healthy=True, **more)
