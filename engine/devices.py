"""What follows from an accelerator's name, wherever it was read: capability, memory, number formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .facts import Fact, Facts, Origin, Value
from .kb.knowledge import Knowledge
from .kb.rules import DeviceRule
from .regex import regex

_LONGEST_NAME = 200
"""Characters of a name that are looked at. A name is short; what is longer is prose."""
_MOST_TOKENS = 8
"""The parts of the longest device name, as `_TOKEN` cuts it."""
_TOKEN = regex(r"[a-z]+|[0-9]+")
_COUNT = regex(r"(?<![a-z0-9])[0-9]{1,4} ?[x×*] ?(?=[a-z]{0,4}[0-9])")
"""`8x` in `8xA100`."""
_SIZE = regex(r"(?<![a-z0-9.])([0-9]{1,4})[ -]?(?:gib|gb|g)(?![a-z0-9])")
_SLICE = regex(r"\bmig [0-9]+g\.([0-9]+)gb\b")
"""A MIG slice holds a part of the device's memory: `MIG 1g.5gb`."""
_LAPTOP = regex(r"\b(?:laptop|notebook|mobile|max-?q)\b")
_SAYS_NOTHING = frozenset(
    {"card", "cards", "geforce", "gpu", "gpus", "laptop", "mobile", "notebook", "nvidia"}
)


class _Match(NamedTuple):
    """One model that a name may mean."""

    length: int
    """How many characters of the name it accounts for."""
    device: DeviceRule
    model: str


def add_device_facts(facts: Facts, knowledge: Knowledge) -> None:
    """Add what follows from the accelerator's name, standing where the name stands.

    What a person, the run or its files say about the device counts more. A name read on this
    machine tells about this machine only.
    """
    name = facts.get("gpu.name")
    if name is None or not isinstance(name.value, str):
        return
    origin = max(name.origin, Origin.DERIVED, key=lambda one: one.rank)
    note = f"follows from the name {name.value[:60]}"
    for fact, value in device_facts(name.value, knowledge):
        if (known := facts.get(fact)) is None or known.origin.rank > origin.rank:
            facts.add(Fact(fact, value, origin, name.places, note))


def device_facts(name: str, knowledge: Knowledge) -> list[tuple[str, Value]]:
    """What a device's name tells, as facts and values; empty where it names none we know.

    Where a name may mean several devices (`RTX 5000`), what they agree on. The memory is given
    where it was sold with one size only, or where the name states which.
    """
    text = name[:_LONGEST_NAME].lower()
    meant = list(_meant(_COUNT.sub(" ", text), knowledge))
    if not meant:
        return []
    sizes = [set(_sizes(one, laptop=bool(_LAPTOP.search(text)))) for one in meant]
    stated = {float(size) for size in _SIZE.findall(text)}
    if any(stated & options for options in sizes):
        meant = [one for one, options in zip(meant, sizes, strict=True) if stated & options]
        sizes = [stated & options for options in sizes if stated & options]
    found: list[tuple[str, Value]] = [("gpu.present", True), *_agreed([one.device for one in meant])]
    total = float(part[1]) if (part := _SLICE.search(text)) else _only(set().union(*sizes))
    return found if total is None else [*found, ("gpu.total_gib", total)]


def _sizes(match: _Match, *, laptop: bool) -> tuple[float, ...]:
    sold = match.device.memory[match.model]
    return match.device.laptop.get(match.model, sold) if laptop else sold


def _only(sizes: set[float]) -> float | None:
    return next(iter(sizes)) if len(sizes) == 1 else None


def _agreed(devices: list[DeviceRule]) -> Iterator[tuple[str, Value]]:
    for fact, value in devices[0].facts.items():
        if all(device.facts.get(fact) == value for device in devices):
            yield fact, value


def _meant(text: str, knowledge: Knowledge) -> Iterator[_Match]:
    """The models that account for the longest part of a name; several where the name fits them alike."""
    found = list(_matches(text, _names(knowledge.devices.values())))
    longest = max((match.length for match in found), default=0)
    seen = set()
    for match in found:
        if match.length == longest and (match.device.id, match.model) not in seen:
            seen.add((match.device.id, match.model))
            yield match


def _names(devices: Iterable[DeviceRule]) -> dict[str, list[tuple[str, DeviceRule, str]]]:
    """Every way to write a device, squeezed: `rtx3080ti` -> `rtx 3080 ti`, its device and its model."""
    names: dict[str, list[tuple[str, DeviceRule, str]]] = {}
    for device in devices:
        for model in device.memory:
            for start in range(len(device.brand) + 1):
                full = " ".join([*device.brand[start:], model]).lower()
                names.setdefault("".join(_TOKEN.findall(full)), []).append((full, device, model))
    return names


def _matches(text: str, names: dict[str, list[tuple[str, DeviceRule, str]]]) -> Iterator[_Match]:
    tokens = list(_TOKEN.finditer(text))
    for start in range(len(tokens)):
        squeezed, gaps = "", set()
        for end in range(start, min(start + _MOST_TOKENS, len(tokens))):
            if end > start and text[tokens[end - 1].end() : tokens[end].start()].strip("-_"):
                gaps.add(len(squeezed))
            squeezed += tokens[end].group()
            for full, device, model in names.get(squeezed, ()):
                if gaps <= _spaces(full) and _stands_alone(text, tokens, start, end):
                    yield _Match(len(squeezed), device, model)


def _spaces(full: str) -> set[int]:
    """Where a name may be written apart, counted in characters before it: `A 100` is no A100."""
    words = full.split(" ")
    return {sum(map(len, words[:count])) for count in range(1, len(words))}


def _stands_alone(text: str, tokens: list[re.Match[str]], start: int, end: int) -> bool:
    """Whether a match is a name of its own and no part of a longer word or number.

    A bare number (`3090`) is a device only where nothing else is said.
    """
    glued = end + 1 < len(tokens) and tokens[end].end() == tokens[end + 1].start()
    following = tokens[end + 1].group() if glued else ""
    # `V100s` is several of them and `T4x2` two; any other letter makes it another device.
    if following.isdigit() or (len(following) == 1 and following not in "sx"):
        return False
    if start == end and tokens[start].group().isdigit():
        rest = _SIZE.sub(" ", text[: tokens[start].start()] + " " + text[tokens[end].end() :])
        return set(_TOKEN.findall(rest)) <= _SAYS_NOTHING
    return True
