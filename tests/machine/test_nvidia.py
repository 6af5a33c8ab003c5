"""NVIDIA devices: the driver's files, the library, the program."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from traindx.probes.machine import commands
from traindx.probes.machine.commands import NoAnswer
from traindx.probes.machine.gpus import nvidia, nvidia_smi, nvml
from traindx.probes.machine.gpus.nvidia_driver import driver_version, expect_driver
from traindx.probes.machine.gpus.reading import DriverFault, NoDevice
from traindx.probes.machine.host import Host

from .conftest import HostMaker
from .test_commands import program

WITH_DRIVER = {"/dev/nvidia0": "", "/dev/nvidiactl": ""}
VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC version: 12\n"

# -- the driver's files -----------------------------------------------------------------------


def test_without_driver_files_there_is_no_device(make_host: HostMaker) -> None:
    with pytest.raises(NoDevice, match="no NVIDIA driver is loaded"):
        expect_driver(make_host({"/dev/null": ""}))


def test_a_container_without_its_devices_says_so(make_host: HostMaker) -> None:
    with pytest.raises(NoDevice, match="no device is passed on"):
        expect_driver(make_host({"/proc/driver/nvidia/version": VERSION}))


def test_a_device_on_the_bus_without_a_driver_is_a_fault(make_host: HostMaker) -> None:
    bus = "/sys/bus/pci/devices/0000:01:00.0"
    with pytest.raises(DriverFault, match=r"0000:01:00\.0.*not loaded"):
        expect_driver(make_host({f"{bus}/vendor": "0x10de\n", f"{bus}/class": "0x030000\n"}))


def test_the_sound_of_a_graphics_card_is_no_device(make_host: HostMaker) -> None:
    bus = "/sys/bus/pci/devices/0000:01:00.1"
    with pytest.raises(NoDevice):
        expect_driver(make_host({f"{bus}/vendor": "0x10de\n", f"{bus}/class": "0x040300\n"}))


@pytest.mark.parametrize("file", ["/dev/nvidia0", "/dev/nvidia7", "/dev/dxg"])
def test_a_device_file_is_worth_asking(make_host: HostMaker, file: str) -> None:
    expect_driver(make_host({file: ""}))


@pytest.mark.parametrize(
    "text",
    [
        VERSION,
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (root@x)\n",
    ],
)
def test_the_kernel_module_tells_its_version(make_host: HostMaker, text: str) -> None:
    assert driver_version(make_host({"/proc/driver/nvidia/version": text})) == "550.54.15"


# -- the library ------------------------------------------------------------------------------


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


# -- the program ------------------------------------------------------------------------------

ROW = "0, GPU-aa, Tesla T4, 15360, 1024, 14336, 7, 535.104.05, 0, 7.5"
TABLE = "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2     |"


def with_smi(
    make_host: HostMaker, tmp_path: Path, rows: str, apps: str = "", code: int = 0, old: bool = False
) -> Host:
    """A machine whose nvidia-smi prints these rows. An old one refuses the field compute_cap."""
    refuse = 'Field "compute_cap" is not a valid field to query.'
    refusal = f"*compute_cap*) echo '{refuse}'; exit 2;;" if old else ""
    script = f"""case "$*" in
{refusal}
*--query-gpu*) printf '%s\\n' '{rows}'; exit {code};;
*--query-compute-apps*) printf '%s\\n' '{apps}';;
*) printf '%s\\n' '{TABLE}';;
esac"""
    program(tmp_path / "bin", "nvidia-smi", script)
    return make_host(WITH_DRIVER, {"PATH": str(tmp_path / "bin")})


def test_the_program_tells_everything(make_host: HostMaker, tmp_path: Path) -> None:
    reading = nvidia_smi.read(with_smi(make_host, tmp_path, ROW, "GPU-aa, 123\nGPU-bb, 9"))
    (device,) = reading.devices
    assert (reading.driver, reading.cuda) == ("535.104.05", "12.2")
    assert (device.name, device.capability, device.total) == ("Tesla T4", "7.5", 15360 << 20)
    assert (device.used, device.free, device.utilization) == (1024 << 20, 14336 << 20, 7.0)
    assert (device.processes, device.ecc_errors) == ((123,), 0)


def test_a_program_that_does_not_know_capabilities_is_asked_without(
    make_host: HostMaker, tmp_path: Path
) -> None:
    host = with_smi(make_host, tmp_path, ROW.rpartition(", ")[0], old=True)
    (device,) = nvidia_smi.read(host).devices
    assert (device.name, device.capability) == ("Tesla T4", None)


def test_what_is_not_available_stays_unknown(make_host: HostMaker, tmp_path: Path) -> None:
    row = "0, GPU-aa, GeForce GT 710, 2000, [N/A], [N/A], [Not Supported], 470.1, [N/A], 3.5"
    (device,) = nvidia_smi.read(with_smi(make_host, tmp_path, row)).devices
    assert (device.used, device.utilization, device.ecc_errors) == (None, None, None)


def test_a_device_that_does_not_answer_is_told_beside_the_others(
    make_host: HostMaker, tmp_path: Path
) -> None:
    fault = "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system"
    reading = nvidia_smi.read(with_smi(make_host, tmp_path, f"{ROW}\n{fault}"))
    assert (len(reading.devices), reading.troubles) == (1, (fault,))


@pytest.mark.parametrize(
    ("output", "code", "kind", "said"),
    [
        ("No devices were found", 6, NoDevice, "finds no devices"),
        ("Failed to initialize NVML: Driver/library version mismatch", 18, DriverFault, "version mismatch"),
        (
            "NVIDIA-SMI has failed to communicate with the NVIDIA driver.",
            9,
            DriverFault,
            "NVIDIA-SMI has failed",
        ),
        ("", 0, DriverFault, "ended with 0"),
    ],
)
def test_a_program_that_fails_says_why(
    make_host: HostMaker, tmp_path: Path, output: str, code: int, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        nvidia_smi.read(with_smi(make_host, tmp_path, output, code=code))


def test_a_program_that_falls_silent_leaves_processes_and_cuda_unknown(
    make_host: HostMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = with_smi(make_host, tmp_path, ROW)
    answer = commands.run

    def run(command: Sequence[str], host: Host, seconds: float = 2.0) -> tuple[int, str]:
        if "--query-gpu" in " ".join(command):
            return answer(command, host, seconds)
        raise NoAnswer("nvidia-smi did not answer within 2 s")

    monkeypatch.setattr(commands, "run", run)
    reading = nvidia_smi.read(host)
    assert (reading.devices[0].processes, reading.cuda) == (None, None)


def test_on_windows_a_missing_program_means_no_driver(make_host: HostMaker) -> None:
    with pytest.raises(NoDevice, match="which comes with it"):
        nvidia_smi.read(make_host(system="windows"))


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
