"""What a whole call costs: a 1 MB log and a small configuration, against importing four libraries.

    python benchmarks/startup.py

Prints the CPU time of `diagnose --symptom nan-loss train.log config.yaml` over that of
`python -c "import click, pydantic, jinja2, yaml"`, the two taken in turn in this one run.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "nan-loss"
PAIRS = 15
SIZE = 1 << 20
OURS = [sys.executable, "-m", "traindx", "--symptom", "nan-loss", "train.log", "config.yaml"]
THEIRS = [sys.executable, "-c", "import click, pydantic, jinja2, yaml"]


def long_log() -> bytes:
    """The example's log, with as many healthy steps before it as make a megabyte."""
    end = (EXAMPLE / "train.log").read_bytes()
    lines: list[bytes] = []
    size = len(end)
    step = 0
    while size < SIZE:
        step += 1
        lines.append(
            b"step %d/20000 | loss %.4f | grad_norm %.3f | lr 3.00e-03 | loss_scale 512\n"
            % (step, 2 + 60 / step + (step * 37 % 11) / 50, 20 + step * 53 % 17)
        )
        size += len(lines[-1])
    return b"".join(lines) + end


def cpu(command: list[str], folder: str) -> float:
    """Seconds of CPU that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.log").write_bytes(long_log())
        Path(folder, "config.yaml").write_bytes((EXAMPLE / "config.yaml").read_bytes())
        cpu(OURS, folder)  # the knowledge base is compiled once
        pairs = [(cpu(OURS, folder), cpu(THEIRS, folder)) for _ in range(PAIRS)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"diagnose {ours:.3f} s, imports {theirs:.3f} s, ratio {ratio:.2f} (median of {PAIRS} pairs)")


if __name__ == "__main__":
    main()
