"""NVIDIA devices: the driver's files, and the program that asks the driver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from traindx.probes.machine import commands
from traindx.probes.machine.commands import NoAnswer
from traindx.probes.machine.gpus import nvidia_smi
from traindx.probes.machine.gpus.nvidia_driver import driver_version, expect_driver
from traindx.probes.machine.gpus.reading import DriverFault, NoDevice
from traindx.probes.machine.host import Host

from .conftest import HostMaker
from .nvidia_smi import ROW, with_smi

VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC version: 12\n"


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
