"""The table of other tools' rules names only what is there, and what really asks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack

PAGE = Path(__file__).parents[2] / "docs" / "peers.md"
_NAME = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """One rule of another tool, and what covers it."""

    rule: str
    facts: list[str]
    limits: list[str]
    causes: list[str]


def rows() -> list[Row]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[one.strip() for one in line.split("|")[1:-1]] for line in lines]
    return [
        Row(one[0], *(_NAME.findall(cell) for cell in one[2:]))
        for one in cells
        if one[0] not in ("rule", "---")
    ]


@pytest.fixture(scope="module")
def own() -> Knowledge:
    return load([own_pack()])


def follows(names: Iterable[str], knowledge: Knowledge) -> set[str]:
    """These facts and all that they may be derived from."""
    derived = {rule.name: rule.derive for rule in knowledge.derived}
    found, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            for way in derived.get(name, ()):
                waiting += [one for part in (way.when, way.expression) if part for one in part.names]
    return found


def test_the_table_is_read() -> None:
    assert len(rows()) > 110
    assert [one.rule for one in rows() if not one.facts and not one.causes] == [
        "MaxInitializationTime",
        "TreeDepth, FeatureImportanceOverweight, CreateXgboostReport",
        "OverallSystemUsage, ProfilerReport",
        "TA200, TA201, TA400, TA404",
    ]


def test_everything_it_names_is_in_the_knowledge_base(own: Knowledge) -> None:
    limits = {f"limit.{name}" for name in own.limits}
    known = (own.facts.keys(), limits, own.causes.keys())
    unknown = [
        (row.rule, name)
        for row in rows()
        for names, there in zip(row[1:], known, strict=True)
        for name in names
        if name not in there
    ]
    assert unknown == []


def test_every_cause_it_names_asks_for_a_fact_of_its_row(own: Knowledge) -> None:
    """By itself, or by one of its symptoms."""

    def asked(name: str) -> set[str]:
        cause = own.causes[name]
        lines = [*cause.evidence, *(line for one in cause.symptoms for line in own.symptoms[one].detect)]
        return follows((fact for line in lines for fact in line.rule.names), own)

    idle = [(row.rule, cause) for row in rows() for cause in row.causes if not asked(cause) & set(row.facts)]
    assert idle == []
