"""AMD, Apple and torch's own view; which devices are visible."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.machine.commands import NoAnswer
from traindx.probes.machine.gpus import amd, apple, with_torch
from traindx.probes.machine.gpus.reading import Device, NoDevice
from traindx.probes.machine.gpus.visible import visible
from traindx.probes.machine.host import Host

from .conftest import HostMaker
from .test_commands import program

KFD = "/sys/class/kfd/kfd"
MI250 = {
    "/dev/kfd": "",
    f"{KFD}/topology/nodes/0/properties": "cpu_cores_count 64\nsimd_count 0\n",
    f"{KFD}/topology/nodes/1/properties": "cpu_cores_count 0\nsimd_count 440\ngfx_target_version 90010\ndrm_render_minor 128\nunique_id 255\n",
    f"{KFD}/topology/nodes/1/gpu_id": "4711\n",
    "/sys/class/drm/renderD128/device/mem_info_vram_total": f"{64 << 30}\n",
    "/sys/class/drm/renderD128/device/mem_info_vram_used": f"{10 << 30}\n",
    "/sys/class/drm/renderD128/device/gpu_busy_percent": "93\n",
    f"{KFD}/proc/1234/vram_4711": "1024\n",
    f"{KFD}/proc/99/vram_4711": "0\n",
}


def test_the_kernel_tells_about_amd_devices(make_host: HostMaker) -> None:
    (device,) = amd.read(make_host(MI250)).devices
    assert (device.name, device.uuid) == ("AMD gfx90a", "GPU-00000000000000ff")
    assert (device.total, device.used, device.free) == (64 << 30, 10 << 30, 54 << 30)
    assert (device.utilization, device.processes) == (93.0, (1234,))


def test_the_product_name_goes_before_the_architecture(make_host: HostMaker) -> None:
    product = {"/sys/class/drm/renderD128/device/product_name": "AMD Instinct MI250X\n"}
    assert amd.read(make_host(MI250 | product)).devices[0].name == "AMD Instinct MI250X (gfx90a)"


@pytest.mark.parametrize(
    ("version", "name"),
    [(90006, "gfx906"), (90402, "gfx942"), (100300, "gfx1030"), (110000, "gfx1100"), (120001, "gfx1201")],
)
def test_the_target_version_names_the_architecture(make_host: HostMaker, version: int, name: str) -> None:
    node = {f"{KFD}/topology/nodes/1/properties": f"simd_count 1\ngfx_target_version {version}\n"}
    assert amd.read(make_host(MI250 | node)).devices[0].name == f"AMD {name}"


def test_the_graphics_of_a_processor_are_no_device(make_host: HostMaker) -> None:
    node = {f"{KFD}/topology/nodes/1/properties": "cpu_cores_count 16\nsimd_count 8\n"}
    with pytest.raises(NoDevice, match="lists no device"):
        amd.read(make_host(MI250 | node))


def test_without_a_compute_driver_there_is_no_amd_device(make_host: HostMaker) -> None:
    with pytest.raises(NoDevice, match="/dev/kfd"):
        amd.read(make_host())


def test_apple_silicon_is_one_device(
    make_host: HostMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    program(tmp_path / "bin", "sysctl", "echo 'Apple M2 Pro'; echo 17179869184")
    host = make_host(environ={"PATH": str(tmp_path / "bin")}, system="darwin")
    (device,) = apple.read(host).devices
    assert (device.name, device.total, device.free) == ("Apple M2 Pro", 16 << 30, None)


@pytest.mark.parametrize(("system", "machine"), [("linux", "arm64"), ("darwin", "x86_64")])
def test_other_machines_have_no_apple_silicon(
    make_host: HostMaker, monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(NoDevice):
        apple.read(make_host(system=system))


# -- torch ------------------------------------------------------------------------------------

FAKE_TORCH = """
from types import SimpleNamespace as N
version = N(hip=None)
backends = N(mps=N(is_available=lambda: False))
cuda = N(
    is_available=lambda: {available}, device_count=lambda: 1,
    get_device_properties=lambda index: N(name="Tesla T4", total_memory=16 << 30, major=7, minor=5),
    mem_get_info=lambda index: (15 << 30, 16 << 30),
)
print("a warning on the way")
"""


def with_fake_torch(make_host: HostMaker, tmp_path: Path, code: str) -> Host:
    folder = tmp_path / "site"
    (folder / "torch").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text(code, encoding="utf-8")
    (folder / "torch" / "version.py").write_text("", encoding="utf-8")
    return make_host(environ={"PYTHONPATH": str(folder)}, search_path=(str(folder),))


def test_torch_tells_what_it_can_use(make_host: HostMaker, tmp_path: Path) -> None:
    reading = with_torch.read(with_fake_torch(make_host, tmp_path, FAKE_TORCH.format(available=True)))
    assert reading.devices == (
        Device("Tesla T4", total=16 << 30, free=15 << 30, used=1 << 30, capability="7.5"),
    )  # fmt: skip


def test_torch_that_sees_nothing_is_sure(make_host: HostMaker, tmp_path: Path) -> None:
    with pytest.raises(NoDevice, match="torch sees no accelerator"):
        with_torch.read(with_fake_torch(make_host, tmp_path, FAKE_TORCH.format(available=False)))


def test_torch_that_crashes_is_no_answer(make_host: HostMaker, tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="libcudnn"):
        with_torch.read(with_fake_torch(make_host, tmp_path, "raise OSError('libcudnn.so.8: cannot open')"))


def test_torch_that_is_not_there_is_no_answer(make_host: HostMaker) -> None:
    with pytest.raises(NoAnswer, match="not installed"):
        with_torch.read(make_host())


# -- visible ----------------------------------------------------------------------------------

OLD, NEW = (
    Device("GTX 1080", 0, "GPU-aaa1", total=8, capability="6.1"),
    Device("H100", 1, "GPU-bbb2", total=80, capability="9.0"),
)


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({}, ["H100", "GTX 1080"]),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, ["GTX 1080", "H100"]),
        ({"CUDA_VISIBLE_DEVICES": "1"}, ["GTX 1080"]),
        ({"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, ["H100"]),
        ({"CUDA_VISIBLE_DEVICES": "1, 0"}, ["GTX 1080", "H100"]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-aaa"}, ["GTX 1080"]),
        ({"CUDA_VISIBLE_DEVICES": "0,-1,1"}, ["H100"]),
        ({"CUDA_VISIBLE_DEVICES": "7"}, []),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, []),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
        ({"HIP_VISIBLE_DEVICES": "0"}, ["H100"]),
    ],
)
def test_the_variables_choose_and_order_devices(environ: dict[str, str], names: list[str]) -> None:
    assert [one.name for one in visible([OLD, NEW], environ)] == names


def test_a_slice_of_a_device_has_memory_of_its_own() -> None:
    (device,) = visible([OLD, NEW], {"CUDA_VISIBLE_DEVICES": "MIG-GPU-bbb2/1/0"})
    assert (device.name, device.total) == ("H100", None)


@given(value=st.text(max_size=40))
def test_any_value_of_the_variable_is_survived(value: str) -> None:
    chosen = visible([OLD, NEW], {"CUDA_VISIBLE_DEVICES": value})
    assert all(one.name in ("H100", "GTX 1080") for one in chosen)
