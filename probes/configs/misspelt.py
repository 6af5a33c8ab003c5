"""Keys that their trainer does not know, and that are almost one it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .combine import Read
from .dialect import Dialect
from .dialects import Dialects
from .document import Entry
from .mistakes import Mistake

_NEAR = 0.84
"""How alike a misspelt key and the one that was meant are, from 0 to 1: `lerning_rate`, not `eval_steps`."""
_STEM, _ENDING = 3, 2
"""Letters that one word and the same with another end share, and letters of that end: `val` and `value`."""
_LONG = 5
"""Letters from which on a word that no trainer uses is more likely a slip than a word of somebody's own."""


def misspelt_keys(reads: Iterable[Read], dialects: Dialects) -> Iterator[Mistake]:
    """Keys that a recognised trainer does not know and that are almost one it does.

    Where not all keys of a trainer are listed, the key may well be one that is not: then it must have a word that no
    key of any trainer has, `acumulation`, in the place of one that is almost the same.
    """
    import difflib

    for read in reads:
        dialect = read.trainer
        if dialect is None:
            continue
        words = dialect.vocabulary
        entries = [one for one in read.document.reading.entries if _is_key_of(one, dialect)]
        # A list, such as `MIN_SIZE_TRAIN: [640, 672]`, stands under its name too.
        given = {str(part).replace("-", "_") for one in entries for part in one.path}
        for entry in entries:
            key = _last(entry)
            if key in words or len(key) < 5:
                continue
            alike = [
                one
                for one in words - given
                if abs(len(one) - len(key)) <= 2 and {one[0], one[-1]} & {key[0], key[-1]}
            ]
            near = difflib.get_close_matches(key, sorted(alike), n=1, cutoff=_NEAR)
            if not near or not _is_slip(key, near[0]) or _is_another_word(key, near[0], dialects):
                continue
            sure = _is_no_word(key, near[0], dialects) or _is_same_word(key, near[0])
            if dialect.stored.get("complete") or sure:
                yield Mistake(f"`{key}` is not known; probably `{near[0]}`", read.document.place(entry.at))


def _is_no_word(key: str, near: str, dialects: Dialects) -> bool:
    """Whether two keys differ in one word, which in the first is none that a trainer uses."""
    odd = _odd_words(key, near)
    return odd is not None and len(odd[0]) >= _LONG and odd[0] not in dialects.words


def _is_same_word(key: str, near: str) -> bool:
    """Whether two keys differ in the end of one word alone, or in how they are parted: `logging_step`, `micro_batchsize`."""
    if key.replace("_", "").lower() == near.replace("_", "").lower():
        return True
    odd = _odd_words(key, near)
    if odd is None:
        return False
    short, long = sorted(odd, key=len)
    return len(short) >= _STEM and long.startswith(short) and len(long) - len(short) <= _ENDING


def _is_another_word(key: str, near: str, dialects: Dialects) -> bool:
    """Whether two keys differ in one word that trainers use for something else: `lora_rank`, not `train_epoch`."""
    odd = _odd_words(key, near)
    if odd is None or odd[0] not in dialects.words:
        return False
    return not (odd[0].startswith(odd[1]) or odd[1].startswith(odd[0]))


def _odd_words(key: str, near: str) -> tuple[str, str] | None:
    """The one word in which two keys of as many words differ, as each of them has it."""
    written, meant = key.lower().split("_"), near.lower().split("_")
    if len(written) != len(meant):
        return None
    odd = [pair for pair in zip(written, meant, strict=True) if pair[0] != pair[1]]
    return odd[0] if len(odd) == 1 else None


def _is_key_of(entry: Entry, dialect: Dialect) -> bool:
    """Whether the trainer itself would read it: an option or a key of its file, or an argument of its classes."""
    if entry.kind == "argument":
        return entry.scope in dialect.calls and isinstance(entry.path[-1], str) and entry.path[-1] != "()"
    return entry.kind in ("", "option") and bool(entry.path) and isinstance(entry.path[-1], str)


def _last(entry: Entry) -> str:
    return str(entry.path[-1]).replace("-", "_")


def _is_slip(key: str, near: str) -> bool:
    """Whether one is the other with a letter or two gone wrong, and not another word: `eval_step`, not `fp32`."""
    digits = [[char for char in one if char.isdigit()] for one in (key, near)]
    return digits[0] == digits[1]
