"""The examples that knowledge carries, read by the real probes."""

from __future__ import annotations

from collections.abc import Iterator

from traindx.engine.facts import Fact
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.models import Example
from traindx.engine.kb.validate import Validated

from .inputs import Input, Kind
from .registry import probes_for


def read_example(example: Example, knowledge: Knowledge) -> list[Fact]:
    """The facts in the log, configuration, code and series of an example."""
    facts = _series(example, knowledge) if example.series else []
    for probe in probes_for(list(_inputs(example)), knowledge, machine=False):
        facts += probe.run().facts
    return facts


def check_readings(entries: Validated, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Try every code pattern and log format on its own examples: its name, and what is wrong or nothing."""
    from .code import check_pattern
    from .logs.samples import check_format

    for name, entry in sorted(entries.of("code-pattern").items()):
        model = entry.model
        wrong = check_pattern(knowledge.code_patterns[name], model.finds, model.passes, knowledge.idioms)
        yield name, "\n".join(wrong)
    for name, entry in sorted(entries.of("log-format").items()):
        samples = [(sample.text, sample.reads) for sample in entry.model.samples]
        yield name, "\n".join(check_format(entry.model.trainer, samples, knowledge))


def _inputs(example: Example) -> Iterator[Input]:
    if example.log is not None:
        yield Input("train.log", Kind.LOG, data=example.log.encode())
    if example.config is not None:
        yield Input(example.config_name, Kind.CONFIG, data=example.config.encode())
    if example.code is not None:
        yield Input("train.py", Kind.CODE, data=example.code.encode())


def _series(example: Example, knowledge: Knowledge) -> list[Fact]:
    from .logs import parse_series, series_facts

    return series_facts({name: parse_series(text) for name, text in example.series.items()}, knowledge.limits)
