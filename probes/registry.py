"""Which probes there are for these inputs, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Probe, Progress

from .inputs import Input, Kind
from .pasted import PastedCodeProbe
from .printed import PrintedSettings

_LOGS = {Kind.LOG, Kind.RECORDS, Kind.EVENTS}
_SETTINGS = {Kind.CONFIG, Kind.CODE, Kind.PACKAGES}


def probes_for(
    inputs: Sequence[Input],
    knowledge: Knowledge,
    *,
    scan: Literal["auto", "full", "triage"] = "auto",
    machine: bool = True,
    progress: Progress | None = None,
) -> list[Probe]:
    """The probes that can say something.

    A watched run comes first. Logs come next, since they print settings that the configuration probe reads too. `machine`
    adds the environment and the devices of this machine. `scan` and `progress` are for logs.
    """
    kinds = {one.kind for one in inputs}
    probes: list[Probe] = []
    printed: Callable[[], Sequence[PrintedSettings]] = tuple
    for source in inputs:
        if source.kind is Kind.LIVE and source.path is not None:
            from .live.probe import LiveProbe

            probes.append(LiveProbe(source.path, knowledge))
    if kinds & _LOGS:
        from .logs import LogProbe

        logs = LogProbe(inputs, knowledge, scan=scan, progress=progress)
        probes.append(logs)
        printed = partial(getattr, logs, "printed_settings")
    if kinds & (_LOGS | _SETTINGS):
        from .configs.probe import ConfigProbe

        probes.append(ConfigProbe(inputs, knowledge, printed))
    if Kind.CODE in kinds:
        from .code import CodeProbe

        probes.append(CodeProbe(inputs, knowledge))
    elif Kind.LOG in kinds:
        probes.append(PastedCodeProbe(partial(getattr, logs, "pasted_code"), knowledge))
    if Kind.CHECKPOINT in kinds:
        from .checkpoint import CheckpointProbe

        probes.append(CheckpointProbe(inputs))
    return [*probes, *_of_this_machine(knowledge)] if machine else probes


def _of_this_machine(knowledge: Knowledge) -> list[Probe]:
    from .machine.device import DeviceProbe
    from .machine.environment import EnvironmentProbe

    return [EnvironmentProbe(knowledge), DeviceProbe(knowledge)]
