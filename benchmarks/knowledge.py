"""What the knowledge base costs: compiling it, loading it from the cache, and inference over many facts.

    python benchmarks/knowledge.py

Prints the CPU time of each, and its ratio to PyYAML's CSafeLoader reading the same files in the same run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3
FACTS = 500
_READ = """
import time, yaml
from pathlib import Path
texts = [path.read_bytes() for path in Path("kb").rglob("*.yaml")]
start = time.process_time()
for text in texts:
    yaml.load(text, yaml.CSafeLoader)
print(time.process_time() - start)
"""
_LOAD = """
import time
start = time.process_time()
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
knowledge = load([own_pack()])
knowledge.facts, knowledge.causes, knowledge.symptoms, knowledge.derived, knowledge.limits
print(time.process_time() - start)
"""
"""Cold where the cache is empty. What is imported on the way counts."""
_INFER = """
import time
from traindx.engine.derive import derive
from traindx.engine.facts import Fact, Facts, Origin, Place
from traindx.engine.infer import rank
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.symptoms import certainty, note_symptoms, see_symptoms
knowledge = load([own_pack()])
values = {"bool": True, "int": 3, "float": 0.5, "version": "2.1.0", "list": ("a text",)}
plain = [rule for rule in knowledge.facts.values() if not rule.derive and not rule.name.startswith("symptom.")]
chosen = plain[:: max(1, len(plain) // COUNT)][:COUNT]

def infer():
    facts = Facts()
    for number, rule in enumerate(chosen):
        value = number % 4 == 0 if rule.type == "bool" else values.get(rule.type, (rule.values or ("a text",))[0])
        facts.add(Fact(rule.name, value, Origin.LOG, (Place("train.log", number + 1),)))
    derive(facts, knowledge)
    seen = see_symptoms(knowledge, facts, ("nan-loss",))
    note_symptoms(facts, seen)
    derive(facts, knowledge)
    return rank(knowledge, facts, certainty(seen))

def spent():
    start = time.process_time()
    infer()
    return time.process_time() - start

infer()
print(sorted(spent() for _ in range(5))[2])
""".replace("COUNT", str(FACTS))
"""The median of five inferences, once every rule was unpacked: one of them may meet the garbage collector."""


def seconds(script: str, cache: str) -> float:
    """What a script prints, run in a fresh process with this folder as its cache."""
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    root = Path(__file__).parents[1]
    call = [sys.executable, "-c", script]
    return float(
        subprocess.run(call, check=True, capture_output=True, text=True, cwd=root, env=environment).stdout
    )


def main() -> None:
    rows: dict[str, list[tuple[float, float]]] = {
        "cold compile": [], "load from the cache": [], f"inference over {FACTS} facts": []
    }  # fmt: skip
    read = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            read.append(seconds(_READ, cache))
            for name, script in zip(rows, (_LOAD, _LOAD, _INFER), strict=True):
                rows[name].append((taken := seconds(script, cache), taken / read[-1]))
    print(f"{'CSafeLoader reads kb/':<30} {statistics.median(read) * 1e3:8.1f} ms")
    for name, taken in rows.items():
        spent, ratio = (statistics.median(side) for side in zip(*taken, strict=True))
        print(f"{name:<30} {spent * 1e3:8.1f} ms  {ratio:6.3f} of that")


if __name__ == "__main__":
    main()
