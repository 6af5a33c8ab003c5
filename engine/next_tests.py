"""Which test tells most per minute? Measure, don't guess, one thing at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from .conditions import Node
from .facts import Facts, Value
from .infer import Ranked
from .kb.knowledge import Knowledge
from .kb.rules import EvidenceRule, FactRule, Weights
from .stand_ins import with_stand_ins

Lines: TypeAlias = dict[str, list[EvidenceRule]]
"""Cause -> its undecided lines of evidence that ask for one fact."""
_NEAR = 10.0
"""Decibans below the first beyond which nobody is asked about a cause: it is ten times less likely."""
_CANDIDATES = 12
"""How many causes a test is to tell apart. What ranks below hardly shares in the probability."""
_UNSEEN = 0.9
"""How often evidence is missing with the cause, over how often without, where its rule does not say."""
_FLOOR = 0.01
"""Bits below which a test is not worth a person's time."""


class NextTest(NamedTuple):
    """A fact worth finding out."""

    fact: FactRule
    bits: float
    """Expected information about the cause, in bits."""
    splits: tuple[str, ...]
    """The causes it moves most, the most likely first."""
    answers: tuple[tuple[Value, tuple[tuple[str, float], ...]], ...] = ()
    """Each answer, with the causes that it moves and by how many decibans, the most likely first."""

    @property
    def gain(self) -> float:
        """Bits per minute."""
        return self.bits / max(self.fact.minutes, 0.5)


def next_tests(ranked: Sequence[Ranked], facts: Facts, knowledge: Knowledge, top: int = 5) -> list[NextTest]:
    """The unknown facts that a person can find out, the most informative per minute first.

    They are about the causes that are at least possible and near the first; where none is, about all.
    """
    facts = with_stand_ins(facts, knowledge)
    candidates = ranked[:_CANDIDATES]
    lines = _open_lines([one for one in candidates if _is_near(one, ranked[0])] or candidates)
    questions = (knowledge.facts.get(name) for name in lines if name not in facts)
    tests = [
        test
        for fact in questions
        if fact is not None and fact.askable(facts)
        if (test := _test(fact, lines[fact.name], candidates, facts, knowledge.weights))
        and test.bits >= _FLOOR
    ]
    return sorted(tests, key=lambda test: (-test.gain, test.fact.name))[:top]


def _is_near(one: Ranked, first: Ranked) -> bool:
    return one.verdict != "unlikely" and one.decibans > first.decibans - _NEAR


def _open_lines(candidates: Sequence[Ranked]) -> dict[str, Lines]:
    """Fact -> the undecided lines of evidence that ask for it, by cause."""
    found: dict[str, Lines] = {}
    for one in candidates:
        for line in one.evidence:
            if line.outcome is None:
                for name in line.rule.rule.names:
                    found.setdefault(name, {}).setdefault(one.cause.id, []).append(line.rule)
    return found


def _test(
    fact: FactRule, lines: Lines, candidates: Sequence[Ranked], facts: Facts, weights: Weights
) -> NextTest | None:
    """What the answer is expected to tell: how far each answer would move the probabilities."""
    before = _shares([one.decibans for one in candidates])
    moved: dict[str, float] = {}
    total = 0.0
    answers = _answers(fact, lines)
    moves = [
        [_shift(lines, one, fact.name, answer, facts, weights) for one in candidates] for answer in answers
    ]
    for shifts, chance in zip(moves, _chances(fact, moves, before), strict=True):
        after = _shares([one.decibans + shift for one, shift in zip(candidates, shifts, strict=True)])
        total += chance * _divergence(after, before)
        for one, shift in zip(candidates, shifts, strict=True):
            moved[one.cause.id] = max(moved.get(one.cause.id, 0.0), abs(shift))
    if not any(moved.values()):
        return None
    splits = [one.cause.id for one in candidates if moved[one.cause.id] > 0][:3]
    told = tuple(
        (answer, tuple((one.cause.id, by) for one, by in zip(candidates, shifts, strict=True) if by))
        for answer, shifts in zip(answers, moves, strict=True)
    )
    return NextTest(fact, total, tuple(splits), told)


def _answers(fact: FactRule, lines: Lines) -> list[Value]:
    """The answers that make a difference: both of a yes or no, each allowed text, either side of each number compared."""
    if fact.type == "bool":
        return [True, False]
    if fact.values:
        return list(fact.values)
    compared: dict[Value, None] = {}
    for rules in lines.values():
        for one in rules:
            compared.update(dict.fromkeys(_compared(one.rule.node, fact.name)))
    return list(compared)


def _compared(node: Node, name: str) -> Iterator[Value]:
    if node[0] in ("cmp", "version") and ["fact", name] in node[2:]:
        for part in node[2:]:
            if part[0] == "const":
                value = part[1]
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield from (value, value - abs(value) * 0.5 - 1e-9, value + abs(value) * 0.5 + 1e-9)
                else:
                    yield value
    for part in node[1:]:
        if isinstance(part, list):
            yield from _compared(part, name)


def _shift(lines: Lines, one: Ranked, name: str, answer: Value, facts: Facts, weights: Weights) -> float:
    """How many decibans an answer would add to a cause."""
    return math.fsum(_added(line, name, answer, facts, weights) for line in lines.get(one.cause.id, ()))


def _added(evidence: EvidenceRule, name: str, answer: Value, facts: Facts, weights: Weights) -> float:
    outcome = evidence.rule(lambda other: answer if other == name else facts.value(other))
    if outcome is None:
        return 0.0
    if outcome:
        word, sign = (evidence.supports, 1) if evidence.supports else (evidence.against, -1)
    else:
        word, sign = evidence.absent, -1
    return sign * weights.strengths[word] if word else 0.0


def _chances(fact: FactRule, moves: Sequence[Sequence[float]], shares: Sequence[float]) -> list[float]:
    """How likely each answer is, given how likely each cause is and how far each answer moves it.

    A line of evidence that multiplies the odds by S when true and divides them by A when false
    is seen with the probability p1 under the cause and p0 without it, where p1 = S p0 and
    (1 - p1) = (1 - p0) / A. Only a yes or no has such a line for each side; other answers are
    taken as equally likely.
    """
    if fact.type != "bool":
        return [1 / len(moves) for _ in moves]
    yes = [_seen(gain, loss, share) for gain, loss, share in zip(*moves, shares, strict=True) if gain or loss]
    chance = sum(yes) / len(yes) if yes else 0.5
    chance = min(0.95, max(0.05, chance))
    return [chance, 1 - chance]


def _seen(gain: float, loss: float, share: float) -> float:
    """The probability of a yes, for one cause of this probability."""
    if gain < 0 and loss < 0:
        return 0.5  # Either answer speaks against the cause, and none is the likelier.
    if gain < 0 or (gain == 0 and loss > 0):
        return 1 - _seen(loss, gain, share)
    present = 10 ** (gain / 10)
    absent = min(10 ** (loss / 10), _UNSEEN)
    without = (1 - absent) / (present - absent) if present > absent else 0.5
    return share * min(1.0, present * without) + (1 - share) * without


def _shares(decibans: Iterable[float]) -> list[float]:
    """Odds as shares of one."""
    values = list(decibans)
    top = max(values, default=0.0)
    odds = [10 ** ((value - top) / 10) for value in values]
    whole = math.fsum(odds)
    return [one / whole for one in odds]


def _divergence(after: Sequence[float], before: Sequence[float]) -> float:
    """How far the shares moved, in bits (Kullback and Leibler, 1951)."""
    pairs = zip(after, before, strict=True)
    return math.fsum(new * math.log2(new / old) for new, old in pairs if new > 0 and old > 0)
