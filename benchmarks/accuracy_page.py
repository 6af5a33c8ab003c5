"""The page about accuracy: figures of sets of cases as Markdown, with bars of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accuracy import Score

WIDTH = 25
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""The edges of the table of reliability."""
FEWEST = 5
"""Cases below which a row of the table of families is too few to say anything."""
INTRODUCTIONS = {
    "given": """107 of these cases were read while the rules were written. 39 were kept apart for as long, scored and not read: on them
alone the right cause came first in 77 % and among the first three in 87 % when they were last scored apart. How well all do shows that the rules
say what was meant: take the figures as an upper bound. One number, how much the words of a text count (`resemblance` in `kb/weights.yaml`), was
chosen with the totals of all of them in view, and those of others.""",
    "gathered-last": """These cases were gathered when the rules were there, from public threads whose cause was confirmed: one for each of 100 of the 112
causes, for which a thread was found within a few searches, 34 more, no two of one cause, and after them 88 in the mix of symptoms of the first set, most of them from small
repositories and every second with code (first in 74 % and among three in 89 %, the symptom seen in 76 %). Two thirds to four fifths hold output of machines, a configuration or code, as the first set does;
of the first 134 rare causes are as many as common ones. 66 more of that mix followed (first in 83 % and among three in 91 %, the symptom seen in 82 %; scored before frequencies were counted in reports, with which
52 of them come first instead of 55, and 279 of 359 others instead of 267), 65 after them (first in 78 % and among three in 89 %, the symptom seen in 86 %), and 155 then, in lots of which each was scored
before anything was learnt from it: 75 of three fields (72 %, 87 %, 75 %; 43 % of the answers that words alone gave were right, from which `by_words_alone` in `kb/weights.yaml` was chosen), then 25 with errors that machines printed
(96 %, 100 %, 92 %), 25 that run and give bad results (80 %, 92 %, 72 %), and 30 told in people's own words alone (67 %, 87 %, 57 %). Of the 135 among these whose evidence is decisive or suggestive the right cause
came first in 81 % and among three in 94 %. The last 110, of both halves of that mix, were scored in lots of 80 and 30 before anything was learnt from them: first in 84 %, among three in 95 %, the symptom
seen in 75 %; of the 97 among these that are decisive or suggestive the right cause came first in 88 % and among three in 97 %, the symptom was seen in 78 %, and the Brier score is 0.11. All but the last 330 are among the reports that
correct the words of frequency (`kb/reports`), and with most of the others in view it was chosen how little a few shared words weigh (`words_in_full` in `kb/weights.yaml`). Each was scored once, before anything was learnt from it: they are the ones to go by. The rules have learnt from them since.""",
    "never-learnt-from": """148 of these cases were gathered in the same way before those, and 36 a little later. No rule was learnt from any of them to this day. They were scored with
earlier versions of the rules, the 36 with the later one: first in 83 % and among the first three in 89 %, the symptom seen in 75 %. The totals of 108 of the 148 were
in view where the use of words was chosen: what the words of a text count (`resemblance` in `kb/weights.yaml`) with those of 72 of them, how much words weigh that
alone made the symptom, and that likely causes are not put in another order by words, with those of all 108.""",
    "gathered-afterwards": """These cases were gathered when the rules were there, from public threads, most of them in the mix of symptoms of the others, in
several rounds, and each was scored once, before anything was learnt from it: the rules have learnt from all of them since, and grew from round to round.
The last 137 came mostly from small projects and searches that name no error: what is wrong must be read from sentences, or from output that looks sound, in more of
them. They came first in 72 % and among the first three in 86 %; how much a rival that is as sure counts (`rivals` in `kb/weights.yaml`) was chosen with 107 of them in view.
Those of one round were scored before pairs of words were compared. Errors that say their cause are more among them than in life, where people ask because they
do not see it.
How much the first cause gains by being the first (`leads` in `kb/weights.yaml`) was chosen with 144 of them, and tried on 40.""",
    "of-rarer-causes": """These cases were gathered cause by cause, about three for each of the 64 causes of which fewest reports had been read, and
scored once, before anything was learnt from them: the rules have learnt from them since. Common mistakes are easier to tell.""",
    "of-every-cause": """These cases were gathered cause by cause as well, about two for each of all 113 causes, later than the ones above, and
scored once, before anything was learnt from them.""",
}
Scores = Sequence["Score"]


def page_of(sets: Mapping[str, Scores]) -> str:
    """The whole page."""
    lines = ["# Accuracy", "", *_about(sets)]
    for name, scores in sets.items():
        lines += ["", f"## Cases {name.replace('-', ' ')}", "", *_set(name, scores)]
    return "\n".join(lines) + "\n"


def _about(sets: Mapping[str, Scores]) -> Iterator[str]:
    counted = [f"{len(scores)} cases {name.replace('-', ' ')}" for name, scores in sets.items()]
    counts = " and ".join([part for part in (", ".join(counted[:-1]), counted[-1]) if part])
    yield f"""Measured on {date.today():%d %B %Y} over {counts}. A case is written after a failure that somebody reported and explained
in public: a log, a configuration and a piece of code as far as there were any, the symptom, and the cause. Written by
`python benchmarks/accuracy.py`, which scores any folder of such cases; the cases themselves are not in the repository.

*First* is the share of cases whose right cause is put first, *among three* the share where it is among the first three,
both with the symptom given unless said otherwise. The range behind a share is its 95 % interval (Wilson): with few cases
it is wide. Causes that a case lists beside the right one count as right."""


def _set(name: str, scores: Scores) -> Iterator[str]:
    if name in INTRODUCTIONS:
        yield from (INTRODUCTIONS[name], "")
    if not scores:
        yield "There are none."
        return
    yield from _headline(scores)
    yield from ("", "### Beside simpler ways", "", *_baselines(scores))
    yield from ("", "### Is the confidence honest?", "", *_reliability(scores))
    yield from ("", "### By family", "", *_groups(scores, lambda one: one.family, FEWEST))
    yield from ("", "### By how much the evidence says", "", *_groups(scores, lambda one: one.strength, 1))
    yield from ("", "### What is taken for what", "", *_confusion(scores))


def _headline(scores: Scores) -> Iterator[str]:
    rows = (
        ("right cause first", [one.place == 1 for one in scores]),
        ("right cause among three", [one.place > 0 for one in scores]),
        ("first, symptom not given", [one.place_alone == 1 for one in scores]),
        ("among three, not given", [one.place_alone > 0 for one in scores]),
        ("symptom seen by itself", [one.symptom_alone > 0 for one in scores]),
        ("and seen first", [one.symptom_alone == 1 for one in scores]),
    )
    yield "```text"
    for label, held in rows:
        low, high = _interval(sum(held), len(held))
        share = sum(held) / len(held)
        yield f"{label:<26} {_bar(share)} {share:4.0%}  ({low:.0%} to {high:.0%})"
    yield "```"


def _baselines(scores: Scores) -> Iterator[str]:
    yield "| way | first | among three |"
    yield "| --- | --- | --- |"
    yield f"| traindx | {_share(one.place == 1 for one in scores)} | {_share(one.place > 0 for one in scores)} |"
    for name in scores[0].baselines:
        first, three = (_share(one.baselines[name][place] for one in scores) for place in (0, 1))
        yield f"| {name} | {first} | {three} |"
    yield ""
    yield "Neighbour and commonest cause are taken from all other cases on this page, the case itself left out; the"
    yield "random cause from those that the knowledge base lists for the symptom."


def _reliability(scores: Scores) -> Iterator[str]:
    brier = sum((one.confidence - (one.place == 1)) ** 2 for one in scores) / len(scores)
    share = sum(one.place == 1 for one in scores) / len(scores)
    yield f"The Brier score of the first cause is {brier:.3f}; always saying {share:.0%} would give {share * (1 - share):.3f}."
    yield ""
    yield "| confidence | cases | said | came true | |"
    yield "| --- | --- | --- | --- | --- |"
    for low, high in pairwise(BINS):
        held = [one for one in scores if low <= one.confidence < high or one.confidence == high == 1.0]
        if held:
            said = sum(one.confidence for one in held) / len(held)
            true = sum(one.place == 1 for one in held) / len(held)
            yield f"| {low:.0%} to {high:.0%} | {len(held)} | {said:.0%} | {true:.0%} | `{_bar(true)}` |"


def _groups(scores: Scores, key: Callable[[Score], str], fewest: int) -> Iterator[str]:
    groups: dict[str, list[Score]] = {}
    for one in scores:
        groups.setdefault(key(one), []).append(one)
    few = [one for held in groups.values() if len(held) < fewest for one in held]
    shown = sorted((name, held) for name, held in groups.items() if len(held) >= fewest)
    yield "| | cases | first | among three | |"
    yield "| --- | --- | --- | --- | --- |"
    for name, held in [*shown, *([(f"others, below {fewest} cases each", few)] if few else [])]:
        first = sum(one.place == 1 for one in held) / len(held)
        yield f"| {name} | {len(held)} | {first:.0%} | {_share(one.place > 0 for one in held)} | `{_bar(first)}` |"


def _confusion(scores: Scores) -> Iterator[str]:
    wrong = [one for one in scores if one.place != 1]
    missed = sum(one.place == 0 for one in wrong)
    yield f"{len(wrong)} of {len(scores)} have another cause first; in {missed} the right one is not among three."
    if wrong:
        pairs = Counter((one.cause, one.first or "nothing") for one in wrong)
        yield from ("", "| right | put first | cases |", "| --- | --- | --- |")
        for (cause, first), count in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
            yield f"| {cause} | {first} | {count} |"


def _interval(held: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927)."""
    z, share = 1.96, held / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _share(held: Iterable[float]) -> str:
    values = list(held)
    return f"{sum(values) / len(values):.0%}"


def _bar(share: float) -> str:
    full = int(share * WIDTH + 1e-9)
    return "█" * full + "░" * (WIDTH - full)
