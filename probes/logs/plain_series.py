"""Series given as plain numbers or written in one line, as the examples of the knowledge base have them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from traindx.engine.facts import Fact, Place
from traindx.engine.regex import regex

from .marks import Each, Mark
from .names import Name
from .positions import Where
from .series_facts import tell_series
from .store import Store
from .told import Told

_PART = regex(r"^(?P<start>[-+]?[\w.+-]+?)(?:\.\.(?P<end>[-+]?[\w.+-]+?))?(?:x(?P<times>\d+))?$")
_LONGEST = 1_000_000


def series_facts(series: Mapping[str, Sequence[float]], limits: Mapping[str, float]) -> list[Fact]:
    """The facts of series given as plain numbers: metric id -> values, a value a step."""
    store = Store()
    for metric, values in series.items():
        one = store.get(Name(metric, metric.replace("_", " "), 0))
        if one is not None:
            one.extend(list(values), _evenly(len(values)))
    told = Told(
        limits,
        lambda mark: Place("series", step=_whole(mark.step)),
        lambda mark: Where(mark.step),
        counted=True,
    )
    tell_series(told, store)
    return list(told.facts.values())


def _evenly(count: int) -> Each:
    """Marks as if all series ran over the same time, whatever their number of values."""
    return Each(lambda index: Mark(round(1e6 * (index + 1) / count), b"", step=float(index + 1)))


def _whole(step: float | None) -> int | None:
    return None if step is None else int(step)


def parse_series(text: str) -> list[float]:
    """A series written in one line.

    `2.3 nanx3` is 2.3 and three NaN, `1x5` five ones, `10..1x10` ten values from 10 to 1 in equal
    steps. Raises ValueError for anything else.
    """
    values: list[float] = []
    for part in text.split():
        found = _PART.match(part)
        if found is None:
            raise ValueError(f"`{part}` is not a value, `AxN` or `A..BxN`")
        start, times = _number(found["start"], part), int(found["times"] or 1)
        if len(values) + times > _LONGEST:
            raise ValueError(f"a series may have at most {_LONGEST} values")
        if found["end"] is None:
            values += [start] * times
            continue
        end = _number(found["end"], part)
        if times < 2 or not (math.isfinite(start) and math.isfinite(end)):
            raise ValueError(f"`{part}` needs two finite ends and a count of at least 2, as in `10..1x10`")
        values += [start + (end - start) * index / (times - 1) for index in range(times)]
    return values


def _number(text: str, part: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"`{text}` in `{part}` is no number") from None
