"""A device's name, wherever it was read, tells what the device can do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.conditions.values import compare_versions
from traindx.engine.derive import derive
from traindx.engine.devices import add_device_facts, device_facts
from traindx.engine.facts import Fact, Facts, Origin, Place
from traindx.engine.kb.knowledge import Knowledge


@pytest.mark.parametrize(
    ("name", "capability", "bf16", "total"),
    [
        ("GeForce GTX 1050 Ti", "6.1", False, 4.0),
        ("Tesla P100-PCIE-16GB", "6.0", False, 16.0),
        ("Tesla V100-PCIE-16GB", "7.0", False, 16.0),
        ("V100 of 32 GB", "7.0", False, 32.0),
        ("4x V100s", "7.0", False, None),
        ("NVIDIA TITAN RTX", "7.5", False, 24.0),
        ("T4 machine", "7.5", False, 16.0),
        ("Tesla T4", "7.5", False, 16.0),
        ("2080Ti", "7.5", False, 11.0),
        ("NVIDIA GeForce GTX 1660 SUPER", "7.5", False, 6.0),
        ("NVIDIA GeForce RTX 2080 with Max-Q Design", "7.5", False, 8.0),
        ("NVIDIA A100-SXM4-80GB", "8.0", True, 80.0),
        ("A100-PCIE-40GB", "8.0", True, 40.0),
        ("8xA100", "8.0", True, None),
        ("NVIDIA A10G", "8.6", True, 24.0),
        ("RTX3090", "8.6", True, 24.0),
        ("NVIDIA GeForce RTX 3060", "8.6", True, None),
        ("NVIDIA GeForce RTX 3060 Ti", "8.6", True, 8.0),
        ("nvidia rtx a6000", "8.6", True, 48.0),
        ("NVIDIA L40S", "8.9", True, 48.0),
        ("NVIDIA GeForce RTX 4090", "8.9", True, 24.0),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "8.9", True, 16.0),
        ("NVIDIA GeForce RTX 4070 Ti SUPER", "8.9", True, 16.0),
        ("NVIDIA RTX 6000 Ada Generation", "8.9", True, 48.0),
        ("Quadro RTX 6000", "7.5", False, 24.0),
        ("NVIDIA H100 80GB HBM3", "9.0", True, 80.0),
        ("NVIDIA H200", "9.0", True, 141.0),
        ("NVIDIA B200", "10.0", True, None),
        ("NVIDIA GeForce RTX 5090", "12.0", True, 32.0),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0", True, 96.0),
    ],
)
def test_nvidia_names_tell_capability_bf16_and_memory(
    knowledge: Knowledge, name: str, capability: str, bf16: bool, total: float | None
) -> None:
    found = dict(device_facts(name, knowledge))
    assert found["gpu.capability"] == capability
    assert found["gpu.supports_bf16"] is bf16
    assert found.get("gpu.total_gib") == total


@pytest.mark.parametrize(
    ("name", "vendor", "bf16", "architecture"),
    [
        ("AMD Instinct MI250X", "amd", True, "gfx90a"),
        ("gfx90a:sramecc+:xnack-", "amd", True, "gfx90a"),
        ("Radeon VII", "amd", False, "gfx906"),
        ("Apple M1 Max", "apple", False, None),
        ("Apple M3 Pro", "apple", True, None),
        ("TPU v3-8", "google", True, None),
        ("Ascend 910B", "huawei", True, None),
    ],
)
def test_other_makers_have_no_cuda_capability(
    knowledge: Knowledge, name: str, vendor: str, bf16: bool, architecture: str | None
) -> None:
    found = dict(device_facts(name, knowledge))
    assert found["gpu.vendor"] == vendor
    assert found["gpu.supports_bf16"] is bf16
    assert found.get("gpu.architecture") == architecture
    assert "gpu.capability" not in found


@pytest.mark.parametrize(
    "name", ["cpu", "", "a 100 epochs", "step 3090", "1080p video", "batch 512", "GT4 data", "xA100"]
)
def test_other_words_name_no_device(knowledge: Knowledge, name: str) -> None:
    assert device_facts(name, knowledge) == []


def test_a_bare_number_is_a_device_where_nothing_else_is_said(knowledge: Knowledge) -> None:
    assert dict(device_facts("3090", knowledge))["gpu.capability"] == "8.6"
    assert dict(device_facts("2x3090", knowledge))["gpu.capability"] == "8.6"
    assert dict(device_facts("3080 laptop 16GB", knowledge))["gpu.total_gib"] == 16


def test_a_name_of_two_generations_tells_what_holds_for_both(knowledge: Knowledge) -> None:
    found = dict(device_facts("RTX 5000", knowledge))
    assert found["gpu.vendor"] == "nvidia"
    assert not {"gpu.capability", "gpu.supports_bf16", "gpu.total_gib"} & set(found)


def test_the_memory_stated_beside_it_decides_between_generations(knowledge: Knowledge) -> None:
    assert dict(device_facts("RTX 6000 48GB", knowledge))["gpu.capability"] == "8.9"
    assert dict(device_facts("RTX 6000 (24 GB)", knowledge))["gpu.capability"] == "7.5"


def test_memory_of_the_host_is_not_that_of_the_device(knowledge: Knowledge) -> None:
    assert dict(device_facts("GTX 1080 Ti, 512 GB RAM", knowledge))["gpu.total_gib"] == 11
    assert "gpu.total_gib" not in dict(device_facts("NVIDIA GH200 480GB", knowledge))


def test_a_mig_slice_has_its_own_memory(knowledge: Knowledge) -> None:
    assert dict(device_facts("NVIDIA A100-SXM4-40GB MIG 1g.5gb", knowledge))["gpu.total_gib"] == 5


def test_two_devices_in_one_text_tell_nothing_they_differ_in(knowledge: Knowledge) -> None:
    assert "gpu.capability" not in dict(device_facts("A100 or V100", knowledge))


def test_every_device_is_recognised_by_its_full_name(knowledge: Knowledge) -> None:
    for device in knowledge.devices.values():
        for model in device.memory:
            found = dict(device_facts(" ".join([*device.brand, model]), knowledge))
            assert found, f"{device.id}: {model}"
            told = {fact: value for fact, value in found.items() if fact in device.facts}
            assert told.items() <= dict(device.facts).items(), f"{device.id}: {model}"


def test_bf16_and_fp8_agree_with_the_capability(knowledge: Knowledge) -> None:
    for device in knowledge.devices.values():
        if capability := device.facts.get("gpu.capability"):
            assert device.facts["gpu.supports_bf16"] == (compare_versions(str(capability), "8.0") >= 0), (
                device.id
            )
            assert device.facts["gpu.supports_fp8"] == (compare_versions(str(capability), "8.9") >= 0), (
                device.id
            )


@given(name=st.text(max_size=300))
def test_any_text_can_be_asked_for(knowledge: Knowledge, name: str) -> None:
    assert all(fact in knowledge.facts for fact, _ in device_facts(name, knowledge))


@given(
    before=st.text("abcxyz 0123456789:,([", max_size=20).map(lambda text: f"{text} "),
    after=st.text("abcxyz 0123456789:,)]", max_size=20).map(lambda text: f" {text}"),
)
def test_a_full_name_is_found_in_any_surroundings(knowledge: Knowledge, before: str, after: str) -> None:
    found = dict(device_facts(f"{before}GeForce RTX 3090 Ti{after}", knowledge))
    assert found["gpu.capability"] == "8.6"


# -- into the store of facts ------------------------------------------------------------------


def store(*facts: Fact) -> Facts:
    known = Facts()
    known.extend(facts)
    return known


def test_what_follows_stands_where_the_name_stands(knowledge: Knowledge) -> None:
    place = Place("train.log", 12)
    facts = store(Fact("gpu.name", "Tesla T4", Origin.LOG, (place,)))
    add_device_facts(facts, knowledge)
    told = facts.get("gpu.supports_bf16")
    assert told is not None
    assert (told.value, told.origin, told.places) == (False, Origin.DERIVED, (place,))
    assert told.note == "follows from the name Tesla T4"


def test_what_the_run_printed_counts_more_than_what_a_name_tells(knowledge: Knowledge) -> None:
    facts = store(Fact("gpu.name", "Tesla T4", Origin.LOG), Fact("gpu.total_gib", 14.6, Origin.LOG))
    add_device_facts(facts, knowledge)
    assert facts.value("gpu.total_gib") == 14.6


def test_the_name_in_the_log_counts_more_than_the_device_of_this_machine(knowledge: Knowledge) -> None:
    facts = store(
        Fact("gpu.name", "Tesla V100-SXM2-16GB", Origin.LOG), Fact("gpu.capability", "9.0", Origin.HERE)
    )
    add_device_facts(facts, knowledge)
    assert facts.value("gpu.capability") == "7.0"


def test_a_name_read_on_this_machine_tells_about_this_machine_only(knowledge: Knowledge) -> None:
    facts = store(
        Fact("gpu.name", "NVIDIA H100 80GB HBM3", Origin.HERE), Fact("gpu.total_gib", 79.6, Origin.HERE)
    )
    add_device_facts(facts, knowledge)
    assert facts.value("gpu.total_gib") == 79.6
    told = facts.get("gpu.supports_bf16")
    assert told is not None
    assert told.origin is Origin.HERE


def test_without_a_name_nothing_follows(knowledge: Knowledge) -> None:
    facts = store(Fact("gpu.count", 2, Origin.LOG))
    add_device_facts(facts, knowledge)
    assert len(facts) == 1


def test_a_capability_without_a_name_tells_bf16_too(knowledge: Knowledge) -> None:
    facts = store(Fact("gpu.capability", "7.5", Origin.LOG))
    derive(facts, knowledge)
    assert facts.value("gpu.supports_bf16") is False


@pytest.mark.parametrize(("built_for", "unsupported"), [("12.4", True), ("12.8", False), ("13.0", False)])
def test_torch_built_before_a_device_came_out_does_not_support_it(
    knowledge: Knowledge, built_for: str, unsupported: bool
) -> None:
    facts = store(Fact("gpu.name", "RTX 5090", Origin.LOG), Fact("env.cuda", built_for, Origin.LOG))
    add_device_facts(facts, knowledge)
    derive(facts, knowledge)
    assert facts.value("gpu.unsupported_by_build") is unsupported


def test_cuda_that_dropped_a_device_does_not_support_it(knowledge: Knowledge) -> None:
    facts = store(Fact("gpu.name", "GTX 1080 Ti", Origin.LOG), Fact("env.cuda", "13.0", Origin.LOG))
    add_device_facts(facts, knowledge)
    derive(facts, knowledge)
    assert facts.value("gpu.unsupported_by_build") is True


@pytest.mark.parametrize(
    ("built_for", "driver", "too_old"),
    [("12.4", "12.2", False), ("12.1", "11.4", True), ("13.0", "12.8", True), ("11.8", "12.4", False)],
)
def test_a_driver_runs_every_minor_version_of_its_cuda(
    knowledge: Knowledge, built_for: str, driver: str, too_old: bool
) -> None:
    facts = store(Fact("env.cuda", built_for, Origin.HERE), Fact("env.driver_cuda", driver, Origin.HERE))
    derive(facts, knowledge)
    assert facts.value("env.driver_too_old") is too_old
