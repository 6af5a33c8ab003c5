"""NVIDIA devices: the library, and what is asked first."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from traindx.probes.machine.commands import NoAnswer
from traindx.probes.machine.gpus import nvidia, nvml
from traindx.probes.machine.gpus.reading import DriverFault, NoDevice

from .conftest import HostMaker
from .nvidia_smi import ROW, WITH_DRIVER, with_smi


class NVMLError(Exception):
    def __init__(self, value: int, text: str = "") -> None:
        super().__init__(text or f"error {value}")
        self.value = value


@dataclass
class Gpu:
    """A device as the fake library shows it."""

    name: str | bytes = "NVIDIA A100-SXM4-80GB"
    capability: tuple[int, int] = (8, 0)
    used: int = 5 << 30
    pids: tuple[int, ...] | None = ()
    lost: bool = False
    refuses: frozenset[str] = field(default_factory=frozenset)


def fake_nvml(*gpus: Gpu, start: NVMLError | None = None) -> ModuleType:
    """A module that answers as NVML does."""
    module = ModuleType("pynvml")
    closed: list[bool] = []

    def init() -> None:
        if start:
            raise start

    def handle(index: int) -> Gpu:
        if gpus[index].lost:
            raise NVMLError(15, "GPU is lost")
        return gpus[index]

    def asked(what: str, gpu: Gpu) -> Gpu:
        if what in gpu.refuses:
            raise NVMLError(3, "Not Supported")
        return gpu

    def memory(gpu: Gpu, version: int | None = None) -> SimpleNamespace:
        asked("memory_v2" if version else "memory", gpu)
        used = gpu.used if version else gpu.used + (1 << 29)
        return SimpleNamespace(total=80 << 30, used=used, free=(80 << 30) - used)

    def processes(gpu: Gpu) -> list[SimpleNamespace]:
        if gpu.pids is None:
            raise NVMLError(4, "Insufficient Permissions")
        return [SimpleNamespace(pid=pid, usedGpuMemory=None) for pid in gpu.pids]

    module.__dict__.update(
        NVMLError=NVMLError, NVML_ERROR_LIBRARY_NOT_FOUND=12, NVML_ERROR_DRIVER_NOT_LOADED=9, nvmlMemory_v2=0x02000028,
        nvmlInit=init, nvmlShutdown=lambda: closed.append(True), closed=closed, nvmlDeviceGetCount=lambda: len(gpus),
        nvmlDeviceGetHandleByIndex=handle, nvmlDeviceGetName=lambda gpu: gpu.name, nvmlDeviceGetMemoryInfo=memory,
        nvmlDeviceGetUUID=lambda gpu: f"GPU-{gpus.index(gpu)}", nvmlDeviceGetComputeRunningProcesses=processes,
        nvmlDeviceGetUtilizationRates=lambda gpu: SimpleNamespace(gpu=asked("utilization", gpu) and 37),
        nvmlDeviceGetCudaComputeCapability=lambda gpu: gpu.capability,
        nvmlDeviceGetTotalEccErrors=lambda gpu, kind, since: asked("ecc", gpu) and 2,
        nvmlSystemGetDriverVersion=lambda: b"550.54.15", nvmlSystemGetCudaDriverVersion=lambda: 12040,
    )  # fmt: skip
    return module


def use(monkeypatch: pytest.MonkeyPatch, module: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", module)


def test_the_library_tells_everything(make_host: HostMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    module = fake_nvml(Gpu(pids=(41, 42)))
    use(monkeypatch, module)
    reading = nvml.read(make_host(WITH_DRIVER))
    (device,) = reading.devices
    assert (reading.driver, reading.cuda) == ("550.54.15", "12.4")
    assert (device.name, device.capability, device.uuid) == ("NVIDIA A100-SXM4-80GB", "8.0", "GPU-0")
    assert (device.total, device.used, device.free) == (80 << 30, 5 << 30, 75 << 30)
    assert (device.utilization, device.processes, device.ecc_errors) == (37.0, (41, 42), 2)
    assert module.closed == [True]


def test_names_in_bytes_are_read(make_host: HostMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, fake_nvml(Gpu(name=b"Tesla V100-SXM2-16GB")))
    assert nvml.read(make_host(WITH_DRIVER)).devices[0].name == "Tesla V100-SXM2-16GB"


def test_what_a_device_does_not_support_stays_unknown(
    make_host: HostMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(
        monkeypatch,
        fake_nvml(Gpu(pids=None, refuses=frozenset({"utilization", "ecc", "memory_v2", "memory"}))),
    )
    (device,) = nvml.read(make_host(WITH_DRIVER)).devices
    assert device.name
    assert (device.total, device.utilization, device.processes, device.ecc_errors) == (None,) * 4


def test_the_older_memory_call_serves_where_the_newer_is_refused(
    make_host: HostMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, fake_nvml(Gpu(refuses=frozenset({"memory_v2"}))))
    assert nvml.read(make_host(WITH_DRIVER)).devices[0].used == (5 << 30) + (1 << 29)


def test_a_lost_device_keeps_no_other_from_being_read(
    make_host: HostMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, fake_nvml(Gpu(), Gpu(name="x", lost=True)))
    reading = nvml.read(make_host(WITH_DRIVER))
    assert len(reading.devices) == 1
    assert reading.troubles == ("GPU 1: GPU is lost",)


@pytest.mark.parametrize(
    ("system", "code", "text", "kind"),
    [
        ("linux", 9, "Driver Not Loaded", NoDevice),
        ("linux", 12, "NVML Shared Library Not Found", NoAnswer),
        ("windows", 12, "NVML Shared Library Not Found", NoDevice),
        ("linux", 18, "Driver/library version mismatch", DriverFault),
    ],
)
def test_a_library_that_does_not_start_says_why(
    make_host: HostMaker,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    code: int,
    text: str,
    kind: type[Exception],
) -> None:
    use(monkeypatch, fake_nvml(start=NVMLError(code, text)))
    with pytest.raises(kind, match=text):
        nvml.read(make_host(WITH_DRIVER, system=system))


def test_a_missing_package_is_no_answer(make_host: HostMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, None)
    with pytest.raises(NoAnswer, match=r"traindx\[gpu\]"):
        nvml.read(make_host(WITH_DRIVER))


def test_without_library_and_program_both_reasons_are_told(
    make_host: HostMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, None)
    with pytest.raises(NoAnswer, match=r"traindx\[gpu\].*nvidia-smi is not there"):
        nvidia.read(make_host(WITH_DRIVER))


def test_the_library_is_asked_before_the_program(
    make_host: HostMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = with_smi(make_host, tmp_path, ROW)
    use(monkeypatch, fake_nvml(Gpu()))
    assert nvidia.read(host).how == "NVML"
    use(monkeypatch, None)
    assert nvidia.read(host).how == "nvidia-smi"
