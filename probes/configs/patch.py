"""What a patch is: files with their new text, and what could not be changed."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from traindx.engine.facts import Place, Scalar
from traindx.engine.regex import regex

from .combine import Read
from .exact import File

_LINE = regex(r"[^\n]*\n|[^\n]+")


class Applied(NamedTuple):
    """One setting that was changed."""

    setting: str
    before: Scalar | None
    """None where the run did not say."""
    after: Scalar
    place: Place
    """Where it stands in the original, or behind what it was inserted."""
    note: str = ""
    """What a person should check."""


class Refused(NamedTuple):
    """One setting that was not changed."""

    setting: str
    reason: str
    by_hand: str = ""
    """Where and what to change by hand."""
    option: str = ""
    """How to give it on the command line, where what is at hand is only what a run wrote of itself."""


class FilePatch(NamedTuple):
    """One file with its new text."""

    file: File
    after: str
    applied: tuple[Applied, ...]

    @property
    def diff(self) -> str:
        """A unified diff."""
        return self.diff_around(3)

    def diff_around(self, context: int) -> str:
        """A unified diff with so many unchanged lines around each change."""
        import difflib

        before, after = (_LINE.findall(text) for text in (self.file.text, self.after))
        names = (f"a/{self.file.name.lstrip('/')}", f"b/{self.file.name.lstrip('/')}")
        lines = difflib.unified_diff(before, after, *names, n=context)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


class Patch(NamedTuple):
    """All changes to the files of a run."""

    files: tuple[FilePatch, ...] = ()
    refused: tuple[Refused, ...] = ()
    unchanged: Mapping[str, Scalar] = MappingProxyType({})
    """Settings that stand as they should already."""
    reads: tuple[Read, ...] = ()
    """The files as they would read."""

    @property
    def diff(self) -> str:
        """The diffs of all files."""
        return "".join(one.diff for one in self.files)

    @property
    def applied(self) -> tuple[Applied, ...]:
        """Everything that was changed."""
        return tuple(change for one in self.files for change in one.applied)
