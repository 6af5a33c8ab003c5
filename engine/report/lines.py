"""Lines of spans with a role each: what the screen is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..diagnosis import CauseFound, Evidence, SymptomFound
from ..facts import Place, in_digits
from ..redact import safe


class Span(NamedTuple):
    """A piece of text and its role: `title`, `good`, `bad`, `doubt`, `place`, `dim`, `add`, `remove` or none."""

    text: str
    role: str = ""


class Line(NamedTuple):
    """One line. `hang` is where it goes on when the terminal is too narrow."""

    spans: tuple[Span, ...] = ()
    hang: int = 0

    @property
    def text(self) -> str:
        """The line without roles."""
        return "".join(span.text for span in self.spans)


def line_of(*spans: Span | str, hang: int = 0) -> Line:
    """One line, without what a terminal would act on."""
    made = tuple(span if isinstance(span, Span) else Span(span) for span in spans)
    return Line(tuple(Span(safe(span.text).replace("\n", " "), span.role) for span in made), hang)


def title(text: str) -> Iterator[Line]:
    """The title of a part of the screen."""
    yield Line()
    yield line_of(Span(text, "title"))


def where(sources: Sequence[Place]) -> tuple[Span, ...]:
    """The first of some places, and how many more there are."""
    if not sources:
        return ()
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    return (Span(f"  [{place(sources[0])}{more}]", "place"),)


def how_seen(one: SymptomFound, told: str = "as you say") -> str:
    """What a symptom rests on, in words. `told` is how it is put that a person named it."""
    kinds = {line.hint for line in one.evidence if line.decibans > 0}
    if one.detected:
        shown, words, nothing = (
            "seen in the evidence",
            "as the words suggest",
            "as the causes below most often show",
        )
    else:
        shown, words = f"{told}; the inputs hint at it", f"{told}, and as the words suggest"
        nothing = (
            f"{told}; {'the inputs speak against it' if one.evidence else 'nothing in the inputs shows it'}"
        )
    return shown if False in kinds else words if kinds else nothing


def place(one: Place) -> str:
    """A place as text: `train.log:1204 (step 640, rank 3)`, `results.csv:25 (epoch 23)`."""
    start = one.input + (f":{one.line}" if one.line is not None else "")
    extra = []
    if one.step is not None:
        extra.append(f"step {in_digits(one.step)}")
    elif one.epoch is not None:
        extra.append(f"epoch {in_digits(one.epoch)}")
    if one.rank is not None:
        extra.append(f"rank {one.rank}")
    return f"{start} ({', '.join(extra)})" if extra else start


def worth_reading(one: CauseFound) -> tuple[Evidence, ...]:
    """Its evidence. Which words it shares with a page is told only where nothing that weighs more speaks for it."""
    told = tuple(line for line in one.evidence if not line.hint)
    hints = sum(line.decibans for line in one.evidence if line.hint)
    return told if sum(line.decibans for line in told if line.decibans > 0) > hints else tuple(one.evidence)
