"""The sample lines of a log format, read as a log would be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from traindx.engine.kb.knowledge import Knowledge

from ..inputs import Input, Kind
from .blocks import Blocks
from .collected import Collected
from .hits import Hits
from .listening import Listener
from .scan import Scan
from .signatures import for_machines

_PLACES = ("step", "epoch", "total_steps", "total_epochs")


def check_format(
    trainer: str, samples: Iterable[tuple[str, Mapping[str, float | str]]], knowledge: Knowledge
) -> list[str]:
    """Read each sample of a trainer's format; the mistakes as text, empty where all is well.

    A sample is a text and what must be read from it: metric or place (`step`, `epoch`, ...) -> value.
    """
    mistakes: list[str] = []
    for text, reads in samples:
        scan = scanned(text, knowledge)
        if trainer not in {one.trainer for one in scan.lines.formats.seen.values()}:
            mistakes.append(f"not recognised as {trainer}: {text}")
        places = _places(scan)
        for name, wanted in reads.items():
            found = (
                [places[name]] if name in _PLACES else [series.values[-1] for series in scan.store.of(name)]
            )
            if not any(value is not None and _same(value, float(wanted)) for value in found):
                mistakes.append(f"{name} is {wanted}, and {found} was read: {text}")
    return mistakes


def scanned(text: str, knowledge: Knowledge) -> Scan:
    """A text read to its end."""
    facts = Collected(knowledge)
    listener = Listener("train.log", knowledge, knowledge.once(for_machines), Hits(facts), facts)
    scan = Scan(knowledge, listener)
    for block in Blocks(Input("train.log", Kind.LOG, data=text.encode())):
        scan.feed(block)
    scan.close()
    return scan


def _places(scan: Scan) -> dict[str, float | None]:
    marks = [series.marks[-1] for series in scan.store if series.marks] or scan.positions.sample[-1:]
    where = scan.positions.where(max(marks, key=lambda mark: mark.number)) if marks else None
    return {
        "step": where.step if where else None,
        "epoch": where.epoch if where else None,
        "total_steps": scan.positions.total_steps,
        "total_epochs": scan.positions.total_epochs,
    }


def _same(value: float, wanted: float) -> bool:
    return math.isclose(value, wanted, rel_tol=1e-6) or (math.isnan(value) and math.isnan(wanted))
