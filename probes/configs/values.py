"""What a value in a file means: text to number, switch, size or duration, and whether two spellings are one."""

from __future__ import annotations

import math
import re
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex

_NUMBER = regex(r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|nan)", re.IGNORECASE)
_POWER = regex(r"2\s*(?:\*\*|\^)\s*(\d{1,3})")
_TRUE = ("true", "yes", "on", "1", "y", "t")
_FALSE = ("false", "no", "off", "0", "n", "f", "")
NOTHING = ("", "none", "null", "~", "default", "auto", "???")
"""Texts that leave a value to the trainer."""
_SIZE = regex(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[KMGT]?)(?P<binary>i?)B?", re.IGNORECASE)
_GIB = {"": 1.0, "K": 2.0**-20, "M": 2.0**-10, "G": 1.0, "T": 2.0**10}
_DURATION = regex(r"(?:(?P<days>\d+)-)?(?P<first>\d+)(?::(?P<second>\d+))?(?::(?P<third>\d+))?")
_REFERENCE = regex(r"\$\{(?P<path>[A-Za-z_][\w.]*)\}|<(?P<name>[A-Za-z_][\w.]*)>")


def to_bool(raw: Any) -> bool | None:
    """A switch, however it is written; None for what is none."""
    if isinstance(raw, bool):
        return raw
    if raw in (0, 1):
        return bool(raw)
    if isinstance(raw, str):
        word = raw.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else None
    return None


def to_number(raw: Any) -> int | float | None:
    """A number, also one that stands as text; None for what is none."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return raw
    text = raw.strip() if isinstance(raw, str) else ""
    if power := _POWER.fullmatch(text):
        return float(2 ** int(power[1]))
    if not text or len(text) > 40 or not _NUMBER.fullmatch(text):
        return None
    plain = text.replace("_", "")
    return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)


def to_size(raw: Any, scale: float) -> float | None:
    """A size in GiB: `16G`, `16000M`, `8gb`; a bare number is GiB times `scale`."""
    found = _SIZE.fullmatch(str(raw).strip())
    if found is None:
        return None
    return float(found["number"]) * (_GIB[found["unit"].upper()] if found["unit"] else scale)


def to_minutes(raw: Any) -> float | None:
    """A duration in minutes as Slurm writes it: `90`, `30:00`, `12:00:00`, `2-12`, `2-12:30:00`."""
    found = _DURATION.fullmatch(str(raw).strip())
    if found is None:
        return None
    parts = [float(found[name] or 0) for name in ("first", "second", "third")]
    if found["days"]:
        return float(found["days"]) * 1440 + parts[0] * 60 + parts[1] + parts[2] / 60
    if found["third"]:
        return parts[0] * 60 + parts[1] + parts[2] / 60
    return parts[0] + parts[1] / 60


def to_count(raw: Any) -> int | None:
    """The number of parts that commas divide: 2 for `0,1`."""
    parts = [part for part in str(raw).split(",") if part.strip()]
    return len(parts) if parts and not str(raw).startswith("-") else None


def last_number(raw: Any) -> int | None:
    """2 for `gpu:a100:2`, 1 for `gpu`."""
    text = str(raw)
    found = re.search(r"(\d+)$", text.strip())
    return int(found[1]) if found else 1 if text.strip() else None


def port(raw: Any) -> int | None:
    """29500 for `node0:29500`; None where no port is named."""
    found = re.search(r":(\d{1,5})$", str(raw).strip())
    return int(found[1]) if found else None


def same(spelled: Any, raw: Any) -> bool:
    """Whether a value in a file is this spelling: `torch.float16` is `float16`, a bare YAML `no` is "no"."""
    if isinstance(spelled, list):
        return any(same(one, raw) for one in spelled)
    if isinstance(spelled, bool):
        return to_bool(raw) is spelled
    if isinstance(spelled, int | float):
        number = to_number(raw)
        return number is not None and math.isclose(number, spelled)
    if isinstance(raw, bool):
        return (
            to_bool(spelled) is raw
            if str(spelled).lower() in ("yes", "no", "on", "off", "true", "false")
            else False
        )
    one, other = str(spelled).lower(), str(raw).strip().lower()
    return one == other or ("." not in one and one == other.rsplit(".", 1)[-1])


def equal(one: Scalar | None, other: Scalar | None) -> bool:
    """Whether two values are the same setting."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def reference(raw: Any) -> tuple[str, ...]:
    """The path that `${train.lr}` (OmegaConf) or `<lr>` (HyperPyYAML) refers to; empty for anything else."""
    found = _REFERENCE.fullmatch(raw.strip()) if isinstance(raw, str) and len(raw) < 200 else None
    return tuple((found["path"] or found["name"]).split(".")) if found else ()
