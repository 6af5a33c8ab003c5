"""What is said of a change that is not made: why, and what a person can do instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from traindx.engine.facts import Scalar

from .combine import Read, counting
from .flags import as_option, as_override
from .homes import lacking
from .occurrence import Occurrence
from .patch import Refused

_HYDRA = ".hydra/"
_WRITTEN = "the run wrote it there and does not read it"


def as_told(mirrors: Sequence[Read], setting: str, value: Scalar) -> Refused | None:
    """What to say of a setting that is known, or would be, from what the run wrote of itself alone."""
    seen = next((one for one in counting(mirrors) if one.setting == setting), None)
    if any(_HYDRA in one.document.name for one in mirrors):
        # Its command line takes the paths of the file, whatever the trainer's own would.
        if seen is None:
            return None
        if override := as_override(seen, value):
            return Refused(setting, _WRITTEN, f"start the run with `{override}`", override)
        return by_hand(setting, value, seen, _WRITTEN)
    read = next(
        (one for one in mirrors if one.trainer and (seen is None or one.document is seen.document)), None
    )
    if read and (option := as_option(read, setting, value)):
        return Refused(setting, _WRITTEN, f"start the run with `{option}`", option)
    return by_hand(setting, value, seen, _WRITTEN) if seen else None


def by_hand(
    setting: str, value: Scalar, one: Occurrence | None, reason: str, *, lacks: bool = False
) -> Refused:
    """Why a change was not made, and where to make it by hand. A setting that the trainer `lacks` is made nowhere."""
    if one is None and lacks:
        return Refused(setting, reason)
    if one is None:
        return Refused(setting, reason, f"set {setting} to {value} where the script reads its settings")
    place = one.document.place(one.entry.at)
    return Refused(setting, reason, f"{place}: {place.text}  <- {setting} should be {value}")


def lacked(sources: Sequence[Read], settings: Iterable[str]) -> Mapping[str, str]:
    """The settings that the trainer of a run has not, each with that in words."""
    return {one: reason for one in settings if (reason := lacking(sources, one))}
