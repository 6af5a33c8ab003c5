"""What each cause looks like: its own winning example, read, weighed and mended by the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from traindx.cli.patching import Patching
from traindx.cli.session import Session
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.facts import Fact, Origin, Place, Scalar
from traindx.engine.kb.examples import value_of
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import read_packs
from traindx.engine.kb.models import Example
from traindx.engine.kb.packs import own_pack
from traindx.engine.probe import Findings
from traindx.engine.report.pages import InputShown, Shown
from traindx.probes.configs.edit import plan_edits
from traindx.probes.configs.probe import ConfigProbe
from traindx.probes.discover import Found
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import parse_series, series_facts

# Small configurations of common trainers: what an example says of settings is spelled out in the first that has words for it.
_TRANSFORMERS = """\
output_dir: runs/exp42
per_device_train_batch_size: 8
learning_rate: 5.0e-5
num_train_epochs: 3
"""
_KOHYA = """\
pretrained_model_name_or_path = "base.safetensors"
network_module = "networks.lora"
train_batch_size = 2
unet_lr = 1e-4
max_train_steps = 2000
"""
_PLAIN = """\
batch_size: 32
lr: 0.001
epochs: 10
optimizer: adamw
"""
_CONFIGS = (("train.yaml", _TRANSFORMERS), ("lora.toml", _KOHYA), ("config.yaml", _PLAIN))


class _Given(NamedTuple):
    """The facts that an example states, as a probe."""

    facts: list[Fact]
    id: str = "example"
    gives: frozenset[str] = frozenset()
    cost: float = 0.0
    asked_for: bool = True

    def run(self) -> Findings:
        return Findings(facts=self.facts)


class Examples:
    """The example of each cause."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    @cached_property
    def _entries(self) -> dict[str, list[Example]]:
        causes = read_packs([own_pack()]).of("cause")
        return {
            name: [one for one in entry.model.examples if one.expect == "wins"]
            for name, entry in causes.items()
        }

    def of(self, cause: str) -> Shown | None:
        """The example in which a reader recognises most, with what the engine makes of it and, where any does, a patch."""
        for example in sorted(self._entries[cause], key=_worth, reverse=True):
            inputs = list(_inputs(example))
            shown = self._shown(cause, example, inputs)
            if shown is not None:
                return shown if shown.patch else self._mended(cause, example, inputs) or shown
        return None

    def _mended(self, cause: str, example: Example, inputs: list[InputShown]) -> Shown | None:
        """The same with the configuration of a common trainer, where one of the fixes changes that."""
        if any(self._knowledge.fixes[fix].settings for fix in self._knowledge.causes[cause].fixes):
            for config in self._spelled(example):
                shown = self._shown(cause, example, [*inputs, config])
                if shown is not None and shown.patch:
                    return shown
        return None

    def _shown(self, cause: str, example: Example, inputs: list[InputShown]) -> Shown | None:
        knowledge = self._knowledge
        symptom = example.symptom or next(iter(knowledge.causes[cause].symptoms))
        read = Found(inputs=[Input(one.name, Kind(one.kind), data=one.text.encode()) for one in inputs])
        session = Session(knowledge, read, machine=False, probes=[_Given(self._facts(example))])
        reasoned = session.run((symptom,), ())
        diagnosis = Patching(session, reasoned).attached()
        found = next((one for one in diagnosis.causes if one.id == cause), None)
        if found is None or found.verdict not in ("likely", "confirmed"):
            return None
        return Shown(symptom, tuple(inputs), _stated(example), found, *_patch(diagnosis, found.fixes))

    def _facts(self, example: Example) -> list[Fact]:
        place = (Place("what is known"),)
        facts = [Fact(name, value_of(value), Origin.LOG, place) for name, value in example.facts.items()]
        series = {name: parse_series(text) for name, text in example.series.items()}
        return facts + (series_facts(series, self._knowledge.limits) if series else [])

    def _spelled(self, example: Example) -> Iterator[InputShown]:
        """The settings that an example states, in the words of a trainer."""
        if example.config is not None:
            return
        stated: dict[str, Scalar] = {
            name.removeprefix("config."): value
            for name, value in example.facts.items()
            if name.startswith("config.")
            and not isinstance(value, list)
            and name.removeprefix("config.") in self._knowledge.settings
        }
        for name, text in _CONFIGS:
            probe = ConfigProbe([Input(name, Kind.CONFIG, data=text.encode())], self._knowledge)
            probe.run()
            patch = plan_edits(probe.sources, stated, self._knowledge)
            if not patch.refused:
                yield InputShown(name, Kind.CONFIG, patch.files[0].after if patch.files else text)


def _inputs(example: Example) -> Iterator[InputShown]:
    for name, kind, text in (
        ("train.log", Kind.LOG, example.log),
        (example.config_name, Kind.CONFIG, example.config),
        ("train.py", Kind.CODE, example.code),
    ):
        if text is not None:
            yield InputShown(name, kind, text)


def _worth(example: Example) -> int:
    """How much of it a reader can recognise: texts that a run leaves behind before facts."""
    texts = ((4, example.log), (2, example.config), (1, example.code))
    return sum(points for points, text in texts if text is not None)


def _stated(example: Example) -> tuple[str, ...]:
    facts = (f"{name} = {value}" for name, value in example.facts.items())
    return (*facts, *(f"{name}: {text}" for name, text in example.series.items()))


def _patch(diagnosis: Diagnosis, fixes: Iterable[str]) -> tuple[str, str]:
    """The first of the cause's fixes that changes a file, and the change."""
    wanted = set(fixes)
    for fix in diagnosis.fixes:
        if fix.id in wanted and fix.patch:
            return fix.id, "".join(one.diff for one in fix.patch)
    return "", ""
