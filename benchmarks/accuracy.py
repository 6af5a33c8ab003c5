"""How often the diagnosis is right: scores folders of labelled cases, beside simple baselines.

    python benchmarks/accuracy.py given=FOLDER gathered-last=FOLDER --page docs/accuracy.md

A set of cases is a name and a folder of YAML files, or the `.json` that an earlier run stored with `--save`.
A case has `symptom`, `cause` and what was handed in: `log`, `config` with `config_name`, `code`. `also_accept`
lists causes that count as right too. Each case is diagnosed twice, with its symptom given and without.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

from accuracy_cases import Case, read_cases
from accuracy_page import page_of

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.resemblance import likenesses
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

MOST_JOBS = 2
KEPT = 3
"""Causes of each answer that are kept."""


@dataclass(frozen=True)
class Score:
    """How one case came out. Nothing of its contents is kept."""

    family: str
    cause: str
    symptom: str
    strength: str
    first: str
    """The cause put first; empty where there was none."""
    confidence: float
    """That of the first."""
    place: int
    """Where the right cause stands, from 1; 0 where it is not among the first three."""
    place_alone: int
    """The same where the symptom is not given."""
    symptom_alone: int
    """Where the right symptom stands among those seen without it being given; 0 where it is not there."""
    baselines: Mapping[str, tuple[float, float]]
    """By name: how likely the right cause is first, and among the first three."""


@cache
def knowledge() -> Knowledge:
    return load([own_pack()])


def diagnosed(case: Case) -> dict[str, Any]:
    """What a score needs of the two diagnoses of a case."""
    given, alone = (_diagnosis(case, symptoms) for symptoms in ((case.symptom,), ()))
    shown = [one.id for one in alone.symptoms]
    causes = knowledge().causes
    return {
        "family": causes[case.truth[0]].family if case.truth[0] in causes else "unknown",
        "first": given.causes[0].id if given.causes else "",
        "confidence": given.causes[0].confidence if given.causes else 0.0,
        "place": _place(given, case),
        "place_alone": _place(alone, case),
        "symptom_alone": shown.index(case.symptom) + 1 if case.symptom in shown else 0,
    }


def _diagnosis(case: Case, symptoms: tuple[str, ...]) -> Diagnosis:
    inputs = [Input(name, Kind[kind], data=text.encode()) for name, kind, text in case.inputs]
    probes = probes_for(inputs, knowledge(), machine=False)
    return diagnose(knowledge(), probes, symptoms=symptoms, version="benchmark", top=KEPT).diagnosis


def _place(diagnosis: Diagnosis, case: Case) -> int:
    return next((place for place, one in enumerate(diagnosis.causes[:KEPT], 1) if one.id in case.truth), 0)


def baselines(case: Case, others: Sequence[Case]) -> dict[str, tuple[float, float]]:
    """What could be had without weighing any evidence; the case itself is never among the others."""
    words = case.words
    nearest = sorted(others, key=lambda one: (-_overlap(words, one.words), one.name))
    common = Counter(one.truth[0] for one in others if one.symptom == case.symptom).most_common()
    listed = [one.id for one in knowledge().causes.values() if case.symptom in one.symptoms]
    texts = [text for _, _, text in case.inputs]
    alike = likenesses(texts, knowledge().page_words, frozenset(listed))
    right, all_ = sum(one in case.truth for one in listed), max(len(listed), 1)
    tries = min(KEPT, all_)
    return {
        "words of our pages alone": _hits(sorted(alike, key=lambda one: -alike[one].share), case),
        "nearest neighbour by words": _hits(list(dict.fromkeys(one.truth[0] for one in nearest)), case),
        "commonest cause of the symptom": _hits([name for name, _ in common], case),
        "random cause of the symptom": (right / all_, 1 - comb(all_ - right, tries) / comb(all_, tries)),
    }


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


def _hits(ranked: Sequence[str], case: Case) -> tuple[float, float]:
    return float(any(one in case.truth for one in ranked[:1])), float(
        any(one in case.truth for one in ranked[:KEPT])
    )


def score_all(sets: Mapping[str, Sequence[Case]], jobs: int) -> dict[str, list[Score]]:
    """The scores of every set. Neighbours and the commonest cause are taken from the other cases of all sets."""
    every = [case for cases in sets.values() for case in cases]
    scores: dict[str, list[Score]] = {name: [] for name in sets}
    with ProcessPoolExecutor(max_workers=min(jobs, MOST_JOBS)) as pool:
        results = pool.map(diagnosed, every)
        for name, cases in sets.items():
            for case in cases:
                others = [one for one in every if one is not case]
                rest = {"cause": case.truth[0], "symptom": case.symptom, "strength": case.strength}
                scores[name].append(Score(**next(results), **rest, baselines=baselines(case, others)))
                done = sum(map(len, scores.values()))
                print(f"\r{done} of {len(every)} cases", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="+", metavar="NAME=PATH", help="a folder of cases, or stored scores")
    parser.add_argument("--page", type=Path, help="where the page in Markdown goes; printed where left out")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="store the scores of each set here")
    parser.add_argument("--jobs", type=int, default=MOST_JOBS, help=f"processes, at most {MOST_JOBS}")
    options = parser.parse_args()
    paths = {name: Path(path) for name, _, path in (one.partition("=") for one in options.sets)}
    stored = {name: path for name, path in paths.items() if path.suffix == ".json"}
    fresh = score_all(
        {name: read_cases(path) for name, path in paths.items() if name not in stored}, options.jobs
    )
    scores = {
        name: [Score(**one) for one in json.loads(stored[name].read_bytes())]
        if name in stored
        else fresh[name]
        for name in paths
    }
    for name in fresh if options.save else ():
        options.save.mkdir(parents=True, exist_ok=True)
        (options.save / f"{name}.json").write_text(json.dumps([asdict(one) for one in fresh[name]]), "utf-8")
    text = page_of(scores)
    if options.page:
        options.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
