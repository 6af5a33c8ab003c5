"""The score of the clinic: how often the fault comes first, and whether a healthy run is accused.

python -m tests.clinic.score                       every script once, through the real command
python -m tests.clinic.score --quick --seeds 0 1   a copy of one Python that has imported torch; two seeds
python -m tests.clinic.score --folder DIR a b      some scripts of another clinic
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from .cases import HERE, Case, cases
from .running import Outcome, Watching


def main() -> int:
    """Run, print a line for each run and the sums; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=HERE)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    chosen = [case for case in cases(options.folder) if not options.names or case.name in options.names]
    results = []
    with Watching(options.quick) as watching:
        for seed in options.seeds:
            for case in chosen:
                outcome = watching.run(case, seed)
                results.append((case, outcome))
                print(line(case, outcome), flush=True)
    return summary(results)


def line(case: Case, outcome: Outcome) -> str:
    """One run in one line: a mark, the script, what was expected and what was said."""
    said = ", ".join(f"{cause} {verdict}" for cause, verdict in outcome.causes[:3]) or "-"
    expected = case.cause or "healthy"
    return f"{mark(case, outcome):5} {case.name:20} {expected:26} {said} [{outcome.status}, {outcome.seconds:.1f} s]"


def mark(case: Case, outcome: Outcome) -> str:
    """`first`, `three` or `miss` for a fault; `ok` or `wrong` for a healthy run."""
    if case.healthy:
        return "wrong" if outcome.accused else "ok"
    return "first" if outcome.names(case, 1) else "three" if outcome.names(case, 3) else "miss"


def summary(results: list[tuple[Case, Outcome]]) -> int:
    """Print the sums; the exit code."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for case, outcome in results:
        kinds["healthy" if case.healthy else case.kind].append(mark(case, outcome))
    print()
    for kind, marks in kinds.items():
        print(f"{kind:32} {marks.count('first') + marks.count('ok')}/{len(marks)}")
    marks = [one for kind, several in kinds.items() if kind != "healthy" for one in several]
    first, three, wrong = marks.count("first"), marks.count("three"), kinds["healthy"].count("wrong")
    print(
        f"\nfirst {first}/{len(marks)}, among three {first + three}/{len(marks)}, healthy accused {wrong}/{len(kinds['healthy'])}"
    )
    reached = first >= 0.9 * len(marks) and first + three >= 0.97 * len(marks) and not wrong
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
