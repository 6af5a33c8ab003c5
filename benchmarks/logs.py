"""How fast logs are read, against ripgrep on the same file in the same run.

    python benchmarks/logs.py [MEGABYTES]      the default is 100

Prints the CPU time of a full reading, of a triage and of ripgrep with 300 patterns, the ratios, and
the peak memory; then what a log of 1 MB costs against importing the libraries of the command line.
"""

from __future__ import annotations

import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from mixed_log import write_log

PATTERNS = 300
LIBRARIES = "import click, pydantic, jinja2, yaml"
READ = """
import re, sys, time
from pathlib import Path
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
knowledge = load([own_pack()])
knowledge.facts, knowledge.limits
start = time.process_time()
from traindx.probes.logs import LogProbe
path = Path(sys.argv[1])
LogProbe([Input(path.name, Kind.LOG, path)], knowledge, scan=sys.argv[2]).run()
spent = time.process_time() - start
# A fresh process inherits ru_maxrss from its parent, but not this.
print(spent, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""
"""Prints the CPU seconds of a reading without the knowledge base, and the peak memory in MiB."""


def reading(log: Path, mode: str) -> tuple[float, float]:
    call = [sys.executable, "-c", READ, str(log), mode]
    spent, memory = subprocess.run(call, check=True, capture_output=True, text=True).stdout.split()
    return float(spent), float(memory)


def cpu(call: list[str]) -> float:
    """CPU seconds of a command with its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(call, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_patterns(path: Path) -> None:
    """The longest literals of our own signatures, evenly chosen."""
    from traindx.engine.kb.load import load
    from traindx.engine.kb.packs import own_pack

    rules = load([own_pack()]).signatures.values()
    words = sorted({max(rule.words, key=len) for rule in rules if rule.words})
    plain = [word for word in words if word.isascii() and "\n" not in word]
    chosen = plain[:: max(1, len(plain) // PATTERNS)][:PATTERNS]
    path.write_text("".join(re.sub(r"([][.^$*+?(){}|\\])", r"\\\1", word) + "\n" for word in chosen))


def large(folder: Path, megabytes: int) -> None:
    log, patterns = folder / "large.log", folder / "patterns"
    write_log(log, megabytes << 20)
    write_patterns(patterns)
    ripgrep = shutil.which("rg")
    if ripgrep is None:
        print("ripgrep (rg) is not installed: no ratios")
    search = [ripgrep or "", "-j1", "--no-unicode", "-c", "-f", str(patterns), str(log)]
    anchor = statistics.median(cpu(search) for _ in range(3)) if ripgrep else 0.0
    if ripgrep:
        print(f"{megabytes} MB, ripgrep {PATTERNS} patterns {anchor:8.2f} s")
    for mode in ("full", "triage"):
        spent, memory = reading(log, mode)
        ratio = f"{spent / anchor:6.1f} times ripgrep" if anchor else ""
        print(f"{megabytes} MB, {mode:<21} {spent:8.2f} s {ratio}  {memory:6.0f} MiB")
    log.unlink()


def small(folder: Path) -> None:
    log = folder / "small.log"
    write_log(log, 1 << 20)
    anchor = statistics.median(cpu([sys.executable, "-c", LIBRARIES]) for _ in range(5))
    spent = statistics.median(reading(log, "full")[0] for _ in range(5))
    print(f"1 MB, {spent * 1000:.0f} ms, {spent / anchor:.2f} times `{LIBRARIES}` ({anchor * 1000:.0f} ms)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        small(Path(name))
        large(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else 100)
