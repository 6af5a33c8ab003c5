"""The probe of the accelerators of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from .gives import DEVICE

if TYPE_CHECKING:
    from .host import Host


class DeviceProbe:
    """The accelerators of the machine that diagnoses.

    Facts of one device are those of the first visible one, `cuda:0`. `ours` are processes that do
    not count as others. torch is asked only where `use_torch` allows it and nothing else answers,
    and then in a process of its own.
    """

    id = "device"
    asked_for = False

    def __init__(
        self,
        knowledge: Knowledge,
        *,
        use_torch: bool = False,
        ours: frozenset[int] = frozenset(),
        host: Host | None = None,
    ) -> None:
        self._knowledge, self._use_torch, self._ours, self._given = knowledge, use_torch, ours, host

    @property
    def gives(self) -> frozenset[str]:
        """The facts it can give, and those that follow from a device's name."""
        return frozenset((*DEVICE, *self._knowledge.machine_facts["device"]))

    @property
    def cost(self) -> float:
        """Seconds: next to none without a driver, some tenths with one, more where torch may be started."""
        from .gpus.nvidia_driver import expect_driver
        from .gpus.reading import DriverFault, NoDevice

        try:
            expect_driver(self._host())
        except (NoDevice, DriverFault):
            return 6.0 if self._use_torch else 0.02
        return 0.5

    def run(self) -> Findings:
        """Ask each way in turn until one answers."""
        from .accelerators import Looking

        return Looking(self._knowledge, self._host(), use_torch=self._use_torch, ours=self._ours).run()

    def _host(self) -> Host:
        from .host import Host

        return self._given or Host()
