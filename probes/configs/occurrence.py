"""One canonical setting as one document gives it."""

from typing import NamedTuple

from traindx.engine.facts import Scalar

from .dialect import Dialect
from .document import Document, Entry
from .way import Way


class Occurrence(NamedTuple):
    """A setting, its value, and where and how it is written."""

    setting: str
    value: Scalar | None
    """None where the document computes it, or leaves it to the trainer."""
    entry: Entry
    document: Document
    dialect: Dialect
    way: Way
    wrong: str = ""
    """What is wrong with its type or range."""
    as_text: bool = False
    """A number that stands as text."""
    implied: bool = False
    """It follows from a call or another key being there, and gives way to what is said outright."""

    @property
    def computed(self) -> bool:
        """Whether only running the script would tell the value."""
        return self.value is None and self.entry.style in ("computed", "name", "call")
