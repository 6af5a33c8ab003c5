"""Asking the accelerators of this machine: each way in turn until one answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from .commands import NoAnswer
from .gives import DEVICE
from .gpus import amd, apple, nvidia, with_torch
from .gpus.nvidia_driver import driver_version
from .gpus.reading import Device, DriverFault, NoDevice, Reading
from .gpus.visible import selector, visible
from .host import Host
from .observed import Observed, gib

_UNREAD = {"accel": "a TPU or Gaudi", "davinci": "an Ascend NPU", "hl": "a Gaudi", "nvmap": "a Jetson"}
"""The device files of accelerators that nothing here reads, without their number."""


class Looking:
    """One look at the accelerators of this machine.

    `ours` are processes that do not count as others. torch is asked only where `use_torch` allows it
    and nothing else answers, and then in a process of its own.
    """

    def __init__(self, knowledge: Knowledge, host: Host, *, use_torch: bool, ours: frozenset[int]) -> None:
        self.knowledge, self.host, self.use_torch, self.ours = knowledge, host, use_torch, ours

    def run(self) -> Findings:
        """Ask each way in turn until one answers."""
        seen = Observed()
        reasons: list[str] = []
        doubts: list[str] = []
        for read in self._ways():
            if reading := self._ask(read, reasons, doubts, seen):
                self._tell(reading, seen)
                break
        else:
            self._tell_absence(reasons, doubts, seen)
        if not seen.knows("env.driver") and (version := driver_version(self.host)):
            seen.tell("env.driver", version, "/proc/driver/nvidia/version")
        seen.cannot(DEVICE, "; ".join(doubts) or "the driver does not tell")
        return seen.findings

    def _ask(
        self, read: Callable[[Host], Reading], reasons: list[str], doubts: list[str], seen: Observed
    ) -> Reading | None:
        """What one way reads. Else a reason why nothing is there, or a doubt whether something is."""
        try:
            return read(self.host)
        except NoDevice as reason:
            reasons.append(str(reason))
            if read is with_torch.read:
                # torch is what trains: where it sees nothing, there is nothing to train on.
                doubts.clear()
        except DriverFault as fault:
            seen.tell("gpu.driver_fault", str(fault), "the driver")
            reasons.append(str(fault))
        except NoAnswer as reason:
            if read is not with_torch.read:
                doubts.append(str(reason))
        except Exception as error:  # noqa: BLE001 - a driver may answer as nobody has met; its words are the reason
            doubts.append(f"{read.__module__.rpartition('.')[2]}: {error}")
        return None

    def _ways(self) -> Sequence[Callable[[Host], Reading]]:
        ways = [nvidia.read, amd.read, apple.read]
        return [*ways, with_torch.read] if self.use_torch else ways

    def _tell(self, reading: Reading, seen: Observed) -> None:
        if reading.driver:
            seen.tell("env.driver", reading.driver, reading.how)
        if reading.cuda:
            seen.tell("env.driver_cuda", reading.cuda, reading.how)
        if reading.troubles:
            seen.tell("gpu.driver_fault", "; ".join(reading.troubles), reading.how)
        devices = reading.devices if reading.only_visible else visible(reading.devices, self.host.environ)
        if not devices:
            name, value = selector(self.host.environ) or ("", "")
            hidden = f"{name} is `{value}`: of {len(reading.devices)} devices it hides all"
            self._tell_absence([hidden if reading.devices else "no device answers"], [], seen)
            return
        seen.tell("gpu.present", True, reading.how)
        seen.tell("gpu.count", len(devices), reading.how)
        _tell_device(devices, reading.how, seen)
        self._tell_others(devices, reading.how, seen)
        counted = [one.ecc_errors for one in devices if one.ecc_errors is not None]
        if counted:
            seen.tell("gpu.ecc_errors", sum(counted), reading.how)

    def _tell_others(self, devices: Sequence[Device], how: str, seen: Observed) -> None:
        """Whether others compute on a visible device, or hold its memory without being listed."""
        fact, idle = "gpu.other_processes", self.knowledge.limits["device_idle_gib"]
        listed = [one.processes for one in devices if one.processes is not None]
        others = sorted({pid for processes in listed for pid in processes} - self.ours)
        fullest = max((one.used for one in devices if one.used is not None), default=None)
        if others:
            seen.tell(fact, True, how, f"processes {', '.join(map(str, others[:8]))}")
        elif fullest is not None and gib(fullest) > idle and not any(listed):
            # A container is not shown processes, only the memory they take: ours may be among them.
            if self.ours:
                seen.cannot(fact, "memory is in use, and the driver lists no process that holds it")
            else:
                seen.tell(fact, True, how, f"{gib(fullest):g} GiB are in use, and no process is listed")
        elif listed or fullest is not None:
            seen.tell(fact, False, how)

    def _tell_absence(self, reasons: Sequence[str], doubts: Sequence[str], seen: Observed) -> None:
        for name in self.host.names("/dev"):
            if what := _UNREAD.get(name.rstrip("0123456789")):
                seen.cannot(DEVICE, f"/dev/{name} may be {what}, which is not read here")
        if not doubts and "gpu.present" not in seen.findings.unknowable:
            how = "; ".join(reasons)
            seen.tell("gpu.present", False, how)
            seen.tell("gpu.count", 0, how)
            seen.tell("env.gpu_count_here", 0, how)
            seen.cannot(DEVICE, "this machine has no accelerator")


def _tell_device(devices: Sequence[Device], how: str, seen: Observed) -> None:
    """What the first visible device is and what is free of it."""
    first = devices[0]
    kinds = dict.fromkeys(one.name for one in devices)
    note = first.note or (f"the first of {len(devices)} visible devices" if len(devices) > 1 else "")
    seen.tell("gpu.name", first.name, how, f"{note}: {', '.join(kinds)}" if len(kinds) > 1 else note)
    seen.tell("env.gpu_name_here", ", ".join(kinds), how)
    if first.capability:
        seen.tell("gpu.capability", first.capability, how, note)
    if first.utilization is not None:
        seen.tell("gpu.utilization", first.utilization, how, note)
    for fact, size in (
        ("gpu.total_gib", first.total),
        ("gpu.free_gib", first.free),
        ("gpu.used_gib", first.used),
    ):
        if size is not None:
            seen.tell(fact, gib(size), how, note)
