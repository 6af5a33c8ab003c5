"""The error messages of a run in their own words, each shown once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..diagnosis import Diagnosis
from ..facts import Place
from ..redact import excerpt
from .lines import Line, Span, line_of

LENGTH = 200
"""Characters of a message that are shown. The report has more of them."""


class Quotes:
    """What is still to be quoted, by the place at which it stands."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self._said = {_key(one.source): one.said for one in diagnosis.timeline if one.said}

    def below(self, sources: Sequence[Place], indent: int) -> Iterator[Line]:
        """The message at the first of some places, where there is one and it was not shown yet."""
        said = self._said.pop(_key(sources[0]), "") if sources else ""
        if said:
            yield line_of(" " * indent, Span(f"> {excerpt(said, LENGTH)}", "dim"), hang=indent + 2)


def _key(place: Place) -> tuple[str, int | None]:
    return place.input, place.line
