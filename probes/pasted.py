"""Code that a person pasted into a report of their own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from .inputs import Input, Kind


class PastedCode(NamedTuple):
    """A piece of Python in a text: found where logs are read, searched where scripts are."""

    input: str
    """The text it stands in."""
    line: int
    """The number of its first line in that text, counted from 1."""
    text: str


class PastedCodeProbe:
    """Searches what was pasted as a script is searched. It follows the logs, which find it.

    Nothing of the code probe is imported before there is something to search.
    """

    id = "code"
    gives = frozenset({"code.*"})
    cost = 0.05
    asked_for = True

    def __init__(self, pasted: Callable[[], Sequence[PastedCode]], knowledge: Knowledge) -> None:
        self._pasted = pasted
        self._knowledge = knowledge

    def run(self) -> Findings:
        """What the pieces of each text show together, with the lines at which they stand in it."""
        pieces = self._pasted()
        if not pieces:
            return Findings()
        from .code import CodeProbe

        names = dict.fromkeys(one.input for one in pieces)
        scripts = [Input(name, Kind.CODE, data=_in_place(pieces, name).encode()) for name in names]
        found = CodeProbe(scripts, self._knowledge).run()
        # The text itself was seen already.
        found.notes += [f"the code in {one.name}: {one.note}" for one in found.inputs if one.note]
        found.inputs = []
        return found


def _in_place(pieces: Sequence[PastedCode], name: str) -> str:
    """The pieces of one text, each at its line."""
    lines: list[str] = []
    for one in pieces:
        if one.input == name:
            lines += [""] * (one.line - 1 - len(lines))
            lines += one.text.split("\n")
    return "\n".join(lines)
