"""What the code probe says about texts."""

from __future__ import annotations

import json
from collections.abc import Mapping

from traindx.engine.facts import Fact
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings
from traindx.probes.code import CodeProbe
from traindx.probes.code.module import Module
from traindx.probes.code.program import Program
from traindx.probes.code.source import Source
from traindx.probes.inputs import Input, Kind


def read(knowledge: Knowledge, files: Mapping[str, str | bytes]) -> Findings:
    """Read scripts, by name."""
    inputs = [
        Input(name, Kind.CODE, data=text if isinstance(text, bytes) else text.encode())
        for name, text in files.items()
    ]
    return CodeProbe(inputs, knowledge).run()


def facts_of(knowledge: Knowledge, text: str | bytes, name: str = "train.py") -> dict[str, Fact]:
    """The facts of one script."""
    return {fact.name: fact for fact in read(knowledge, {name: text}).facts}


def program(knowledge: Knowledge, *texts: str) -> Program:
    """Some files, parsed."""
    return Program(
        [Module(Source(f"{index}.py", text), knowledge.idioms) for index, text in enumerate(texts)]
    )


def notebook(*cells: str) -> str:
    """A notebook of these code cells, with a text before the first."""
    found = [{"cell_type": "markdown", "source": ["# Training"]}]
    found += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": found, "nbformat": 4, "metadata": {}})
