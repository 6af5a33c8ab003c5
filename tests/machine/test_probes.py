"""The two probes: everything they promise is told or explained, and nothing they meet ends them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from traindx.engine.facts import Origin
from traindx.engine.gather import Gathered
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings, Probe
from traindx.probes.machine import capacity, commands
from traindx.probes.machine.commands import NoAnswer
from traindx.probes.machine.device import DeviceProbe
from traindx.probes.machine.environment import EnvironmentProbe
from traindx.probes.machine.gpus import nvidia, with_torch
from traindx.probes.machine.gpus.reading import Device, DriverFault, NoDevice, Reading
from traindx.probes.machine.host import Host

from .conftest import HostMaker, values

IDLE = Device(
    "Tesla T4", 0, "GPU-a", total=16 << 30, used=1 << 20, free=16 << 30, utilization=3.0, capability="7.5",
    processes=(), ecc_errors=1,
)  # fmt: skip


def explained(probe: Probe, findings: Findings) -> bool:
    """Whether every promised fact is known or has a reason."""
    known = {*values(findings), *findings.unknowable}
    return all(name in known for name in probe.gives if not name.endswith(".*"))


def test_the_environment_probe_explains_all_it_promises(make_host: HostMaker, knowledge: Knowledge) -> None:
    for system in ("linux", "darwin", "windows"):
        probe = EnvironmentProbe(knowledge, host=make_host(system=system))
        assert explained(probe, probe.run()), system


def test_every_fact_is_declared_and_of_this_machine(knowledge: Knowledge) -> None:
    facts = EnvironmentProbe(knowledge).run().facts
    assert all(knowledge.fact_type(fact.name) and fact.origin is Origin.HERE for fact in facts)
    assert {fact.places[0].input for fact in facts} == {"this machine"}


def test_every_promised_fact_is_declared(knowledge: Knowledge) -> None:
    for probe in (EnvironmentProbe(knowledge), DeviceProbe(knowledge)):
        assert all(name.endswith(".*") or knowledge.fact_type(name) for name in probe.gives)


def test_a_part_that_fails_is_a_reason_and_the_rest_is_told(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("sealed")

    monkeypatch.setattr(capacity, "observe_memory", broken)
    findings = EnvironmentProbe(knowledge).run()
    assert findings.unknowable["env.ram_gib"] == "could not be read: sealed"
    assert "env.cpu_count" in values(findings)


def test_a_part_that_hangs_is_a_reason_and_the_rest_is_told(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(commands, "PATIENCE", 0.05)
    monkeypatch.setattr(capacity, "observe_memory", lambda host, seen: released.wait(60))
    findings = EnvironmentProbe(knowledge).run()
    released.set()
    assert findings.unknowable["env.ram_gib"] == "the system did not answer within 0.05 s"
    assert "env.process_limit" in {*values(findings), *findings.unknowable}


# -- devices ----------------------------------------------------------------------------------


def answering(monkeypatch: pytest.MonkeyPatch, answer: Reading | Exception) -> None:
    """Let the NVIDIA way give this."""

    def read(host: Host) -> Reading:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(nvidia, "read", read)


@pytest.fixture
def ask(
    make_host: HostMaker, knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Findings]:
    """Run the device probe on a machine whose NVIDIA driver answers so."""

    def run(
        answer: Reading | Exception, environ: dict[str, str] | None = None, **options: object
    ) -> Findings:
        answering(monkeypatch, answer)
        files = options.pop("files", {})
        assert isinstance(files, dict)
        probe = DeviceProbe(knowledge, host=make_host(files, environ), **options)  # type: ignore[arg-type]
        findings = probe.run()
        assert {"gpu.present", "gpu.name", "gpu.other_processes"} <= {*values(findings), *findings.unknowable}
        return findings

    return run


def test_a_device_is_told(ask: Callable[..., Findings]) -> None:
    assert values(ask(Reading("NVML", (IDLE,), "535.1", "12.2"))) == {
        "env.driver": "535.1", "env.driver_cuda": "12.2", "gpu.present": True, "gpu.count": 1, "gpu.name": "Tesla T4",
        "env.gpu_name_here": "Tesla T4", "gpu.capability": "7.5", "gpu.total_gib": 16.0, "gpu.used_gib": 0.001, "gpu.free_gib": 16.0,
        "gpu.other_processes": False, "gpu.utilization": 3.0, "gpu.ecc_errors": 1,
    }  # fmt: skip


def test_facts_are_those_of_the_first_visible_device(ask: Callable[..., Findings]) -> None:
    h100 = Device("NVIDIA H100", 1, "GPU-b", total=80 << 30, capability="9.0")
    findings = ask(Reading("NVML", (IDLE, h100)))
    assert values(findings)["gpu.name"] == "NVIDIA H100"
    name = next(fact for fact in findings.facts if fact.name == "gpu.name")
    assert name.note == "the first of 2 visible devices: NVIDIA H100, Tesla T4"


def test_devices_that_a_variable_hides_are_not_present(ask: Callable[..., Findings]) -> None:
    findings = ask(Reading("NVML", (IDLE,)), {"CUDA_VISIBLE_DEVICES": "-1"})
    assert values(findings)["gpu.present"] is False
    present = next(fact for fact in findings.facts if fact.name == "gpu.present")
    assert present.places[0].text == "CUDA_VISIBLE_DEVICES is `-1`: of 1 devices it hides all"


def test_devices_that_torch_shows_are_the_visible_ones(ask: Callable[..., Findings]) -> None:
    reading = Reading("torch", (IDLE,), only_visible=True)
    assert values(ask(reading, {"CUDA_VISIBLE_DEVICES": "3"}))["gpu.name"] == "Tesla T4"


@pytest.mark.parametrize(
    ("used", "processes", "ours", "others"),
    [
        (1 << 20, (), (), False),
        (9 << 30, (77,), (), True),
        (9 << 30, (77,), (77,), False),
        (9 << 30, (), (), True),
        (9 << 30, (), (77,), None),
        (9 << 30, None, (), True),
        (1 << 29, None, (), False),
        (None, None, (), None),
    ],
)
def test_other_processes_are_those_listed_or_those_whose_memory_is_taken(
    ask: Callable[..., Findings],
    used: int | None,
    processes: tuple[int, ...] | None,
    ours: tuple[int, ...],
    others: bool | None,
) -> None:
    reading = Reading("NVML", (Device("Tesla T4", used=used, processes=processes),))
    assert values(ask(reading, ours=frozenset(ours))).get("gpu.other_processes") is others


def test_devices_that_are_all_lost_are_a_fault_and_not_present(ask: Callable[..., Findings]) -> None:
    found = values(ask(Reading("NVML", (), troubles=("GPU 0: GPU is lost",))))
    assert (found["gpu.driver_fault"], found["gpu.present"]) == ("GPU 0: GPU is lost", False)


def test_without_any_driver_there_is_no_accelerator(ask: Callable[..., Findings]) -> None:
    findings = ask(NoDevice("no NVIDIA driver is loaded"))
    assert values(findings) == {"gpu.present": False, "gpu.count": 0, "env.gpu_count_here": 0}
    assert "no NVIDIA driver is loaded; no AMD compute driver" in findings.facts[0].places[0].text


def test_a_driver_that_does_not_work_is_told_and_gives_no_accelerator(ask: Callable[..., Findings]) -> None:
    found = values(ask(DriverFault("Failed to initialize NVML: Driver/library version mismatch")))
    assert found["gpu.present"] is False
    assert found["gpu.driver_fault"] == "Failed to initialize NVML: Driver/library version mismatch"


def test_a_driver_that_does_not_answer_leaves_it_open(ask: Callable[..., Findings]) -> None:
    findings = ask(NoAnswer("NVML did not answer within 2 s"))
    assert "gpu.present" not in values(findings)
    assert findings.unknowable["gpu.present"] == "NVML did not answer within 2 s"


def test_a_driver_that_answers_nonsense_leaves_it_open(ask: Callable[..., Findings]) -> None:
    findings = ask(KeyError("surprise"))
    assert "surprise" in findings.unknowable["gpu.present"]


def test_an_accelerator_that_nothing_reads_leaves_it_open(ask: Callable[..., Findings]) -> None:
    findings = ask(NoDevice("no NVIDIA driver"), files={"/dev/accel0": ""})
    assert "gpu.present" not in values(findings)
    assert "/dev/accel0 may be a TPU" in findings.unknowable["gpu.present"]


def test_the_kernel_module_tells_its_version_where_nothing_else_answers(ask: Callable[..., Findings]) -> None:
    files = {"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  x\n"}
    assert values(ask(NoAnswer("silence"), files=files))["env.driver"] == "550.54.15"


def test_torch_is_asked_only_where_it_is_allowed(
    ask: Callable[..., Findings], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def read(host: Host) -> Reading:
        asked.append(True)
        return Reading("torch", (IDLE,))

    monkeypatch.setattr(with_torch, "read", read)
    assert "gpu.present" not in values(ask(NoAnswer("silence")))
    assert not asked
    assert values(ask(NoAnswer("silence"), use_torch=True))["gpu.present"] is True


def test_torch_that_sees_nothing_settles_what_a_silent_driver_left_open(
    ask: Callable[..., Findings], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(host: Host) -> Reading:
        raise NoDevice("torch sees no accelerator")

    monkeypatch.setattr(with_torch, "read", read)
    assert values(ask(NoAnswer("silence"), use_torch=True))["gpu.present"] is False


def test_the_cost_is_told_before_anything_is_asked(make_host: HostMaker, knowledge: Knowledge) -> None:
    without, driver = make_host(), make_host({"/dev/nvidia0": ""})
    assert DeviceProbe(knowledge, host=driver).cost > 0.1
    without.at("/dev/nvidia0").unlink()
    assert DeviceProbe(knowledge, host=without).cost < 0.1
    assert DeviceProbe(knowledge, host=without, use_torch=True).cost > 1


# -- the machine that runs the tests ----------------------------------------------------------


def test_this_machine_is_told(knowledge: Knowledge) -> None:
    probe = EnvironmentProbe(knowledge)
    findings = probe.run()
    found = values(findings)
    assert found["env.python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["env.cpu_count"] in range(1, (os.cpu_count() or 1) + 1)
    assert explained(probe, findings)
    devices = DeviceProbe(knowledge)
    assert {"gpu.present"} <= {*values(told := devices.run()), *told.unknowable}


def test_looking_imports_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from traindx.engine.kb.knowledge import Knowledge\n"
        "from traindx.probes.machine.device import DeviceProbe\n"
        "from traindx.probes.machine.environment import EnvironmentProbe\n"
        "empty = {'device': {}, 'package': {}, 'variable': {}, 'limit': {'device_idle_gib': 1.0}, 'fact': {},\n"
        "         'gives': {'device': [], 'variable': []}}\n"
        "knowledge = Knowledge(lambda section: empty)\n"
        "EnvironmentProbe(knowledge).run(), DeviceProbe(knowledge).run()\n"
        "print(*sorted({'torch', 'numpy', 'pydantic', 'yaml', 'importlib.metadata'} & set(sys.modules)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
    )
    assert run.stdout == "\n"


def test_what_the_device_can_do_follows_in_a_diagnosis(
    ask: Callable[..., Findings], knowledge: Knowledge
) -> None:
    gathered = Gathered()
    gathered.take(DeviceProbe(knowledge), ask(Reading("NVML", (IDLE,))))
    gathered.settle(knowledge, ())
    told = gathered.facts.get("gpu.supports_bf16")
    assert told is not None
    assert (told.value, told.origin) == (False, Origin.HERE)
