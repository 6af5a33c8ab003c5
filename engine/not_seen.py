"""What a diagnosis could not see. Without it, "nothing wrong found" would say too much."""

from __future__ import annotations

from collections.abc import Iterable

from .facts import Facts, Origin
from .gather import Gathered
from .probe import InputSeen

_MOST = 8
_CAUSES = 5
"""The causes of which it is said what they could not be judged by."""
_CURVES = "loss."
"""What "nothing wrong" rests on. A gradient norm or a loss scale would only tell more of what is wrong."""
_LOGS = frozenset({"log", "records", "events"})
_WATCHED = frozenset({"live"})
_NO_LOG = "no log was handed in: losses, errors and speed were not seen"
_NO_SCRIPT = "no script was handed in: the training loop was not seen"
_NO_CONFIG = "no configuration was handed in"
_STATED = frozenset({Origin.CONFIG, Origin.SCRIPT, Origin.CODE})


def not_seen(gathered: Gathered) -> tuple[str, ...]:
    """Inputs that could not be read, or not all of them, kinds of input that are missing, and what could have told more."""
    read = {one.kind for one in gathered.inputs if not one.bad}
    missing = []
    if not read & (_LOGS | _WATCHED):
        missing.append(_NO_LOG)
    if not read & (_WATCHED | {"config"}) and (text := _no_config(gathered.facts)):
        missing.append(text)
    if not read & (_WATCHED | {"code"}):
        missing.append(_NO_SCRIPT)
    return (*unread(gathered.inputs), *missing, *_reasons(gathered)[:_MOST])


def _no_config(facts: Facts) -> str:
    """What is known of the settings without a configuration. A command line or a script states them as well."""
    origins = {fact.origin for fact in facts if fact.name.startswith("config.") and fact.places}
    if origins & _STATED:
        return ""
    if Origin.LOG in origins:
        return f"{_NO_CONFIG}: of the settings only those were seen that the log prints"
    return f"{_NO_CONFIG}, and no setting was seen"


def _reasons(gathered: Gathered) -> list[str]:
    """Why facts are not known that could have changed the answer."""
    if not gathered.seen:
        return gathered.facts.reasons(lambda name: name.startswith(_CURVES))
    near = [one for one in gathered.ranked[:_CAUSES] if one.verdict != "unlikely"]
    asked = {name for one in near for name in one.unknown}
    return gathered.facts.reasons(asked.__contains__)


def unread(inputs: Iterable[InputSeen]) -> tuple[str, ...]:
    """What could not be read of the inputs, or was left out. The note of a watched run says what was seen."""
    return tuple(f"{one.name}: {one.note}" for one in inputs if one.note and one.kind not in _WATCHED)
