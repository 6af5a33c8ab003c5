"""What was behind the failures that people reported: counts the causes of scored cases for the knowledge base.

    python benchmarks/priors.py benchmarks/scores/gathered-last.json ... --write kb/reports/reported.yaml

Takes the scores that `accuracy.py --save` stored, of which it reads the symptom and the cause alone. Give it no set that
was gathered for rare causes, and none that later rules shall still be scored on: scores that are stored stay what they were.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

HEAD = """\
# What was behind {total} failures that people reported and explained in public: how many had a symptom, and which
# causes these turned out to have. Counted by benchmarks/priors.py; the words of frequency in kb/causes count beside
# it as much as `word_is_worth` reports (kb/weights.yaml).
"""


def counted(pairs: Iterable[tuple[str, str]]) -> str:
    """The YAML of the counts, by symptom, of pairs of a symptom and the cause behind it."""
    counts = Counter(pairs)
    lines = [HEAD.format(total=counts.total())]
    for symptom in sorted({symptom for symptom, _ in counts}):
        causes = {cause: count for (one, cause), count in counts.items() if one == symptom}
        ordered = sorted(causes, key=lambda cause: (-causes[cause], cause))
        lines.append(f"- symptom: {symptom}\n  reports: {sum(causes.values())}\n  causes:\n")
        lines += [f"    {cause}: {causes[cause]}\n" for cause in ordered]
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scores", nargs="+", type=Path, help="what `accuracy.py --save` stored")
    parser.add_argument("--write", type=Path, metavar="FILE", help="where it goes; printed where left out")
    options = parser.parse_args()
    scores = [one for path in options.scores for one in json.loads(path.read_bytes())]
    text = counted((one["symptom"], one["cause"]) for one in scores)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
