"""Losses without a name: `Epoch 12 | Train: 0.41 | Val: 0.62`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from traindx.engine.regex import regex

from . import curve
from .names import Name
from .reading import Reading, Value
from .series import Series, curve_of
from .store import Store

if TYPE_CHECKING:
    from .reader import Reader

BARE = 1000
"""The trust in a loss that only says of what data it is."""
_LOSSES = frozenset(("loss", "loss_part", "eval_loss", "eval_loss_part"))
_FEW = 4
_COUNTED = regex(rb"\W{0,4}\d{1,7}(?![\w.,:/-]*\d)[\s:|,\])]")
"""A line that begins with a count: `12  train 0.41 / valid 0.62`."""


class Bare:
    """The numbers of one line of which only the words `train` and `val` tell."""

    def __init__(self) -> None:
        self._found: list[tuple[bool, int, re.Match[bytes]]] = []

    def note(self, validation: bool, start: int, token: re.Match[bytes]) -> None:
        """Note a number behind such a word, which begins at `start`."""
        self._found.append((validation, start, token))

    def settle(self, reader: Reader, line: bytes, reading: Reading) -> None:
        """Take them as losses where there is one of each, the line says or counts where the run is, and nothing else is named."""
        if (
            len(self._found) != 2
            or self._found[0][0]
            or not self._found[1][0]
            or not (reading.places or _COUNTED.match(line))
        ):
            return
        metrics = {value.name.metric for value in reading.values}
        if metrics & _LOSSES or not all(_is_decimal(token[0]) for _, _, token in self._found):
            return
        if not reader.has_bare_losses(line, metrics):
            return
        for validation, start, token in self._found:
            word = "eval_loss" if validation else "loss"
            name = Name(word, "validation" if validation else "training", BARE)
            reading.values.append(Value(name, *token.span(), words=(start, token.start())))


def drop_doubtful(store: Store) -> None:
    """Forget such numbers where nothing shows that they are losses: a score grows, and a loss falls or breaks."""
    bare = [one for one in store if one.name.trust == BARE]
    scores = store.of("accuracy") or store.of("eval_accuracy")
    if not any(_is_loss(one, named_score=bool(scores)) for one in bare if one.name.metric == "loss"):
        for one in bare:
            store.drop(one)


def _is_loss(series: Series, *, named_score: bool) -> bool:
    values = curve_of(series).values
    if series.bad:
        return True
    if len(values) < _FEW:
        return named_score
    part = max(1, len(values) // 4)
    before, after = curve.median(values[:part]), curve.median(values[-part:])
    return after < before or (named_score and after == before)


def _is_decimal(number: bytes) -> bool:
    return b"." in number or number[-1:].isalpha()
