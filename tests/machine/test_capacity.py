"""Cores and memory as the machine, the container and the job allow."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.machine import capacity, cgroups
from traindx.probes.machine.host import Host
from traindx.probes.machine.observed import Observed

from .conftest import HostMaker, values

MEMINFO = "MemTotal:       65536000 kB\nMemFree:  1 kB\nMemAvailable:   52428800 kB\n"
V2 = "36 24 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "33 30 0:29 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
    "34 30 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
    "35 30 0:31 /docker/abc /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n"
)
JOB = "/sys/fs/cgroup/job"


def in_v2(make_host: HostMaker, files: dict[str, str], environ: dict[str, str] | None = None) -> Host:
    """A process in the group `/job/step` of a version 2 hierarchy."""
    system = {"/proc/self/mountinfo": V2, "/proc/self/cgroup": "0::/job/step\n", "/proc/meminfo": MEMINFO}
    return make_host(system | files, environ)


def memory(host: Host) -> Observed:
    seen = Observed()
    capacity.observe_memory(host, seen)
    return seen


def test_without_limits_memory_is_that_of_the_machine(make_host: HostMaker) -> None:
    seen = memory(make_host({"/proc/meminfo": MEMINFO}))
    assert values(seen.findings) == {"env.ram_gib": 62.5, "env.ram_free_gib": 50.0}
    assert "no memory limit" in seen.findings.unknowable["env.memory_limit_gib"]


def test_the_tightest_group_limits_memory(make_host: HostMaker) -> None:
    limits = {
        f"{JOB}/step/memory.max": "max\n",
        f"{JOB}/memory.max": f"{16 << 30}\n",
        f"{JOB}/memory.current": f"{4 << 30}\n",
    }
    seen = memory(in_v2(make_host, limits))
    assert values(seen.findings) == {
        "env.memory_limit_gib": 16.0,
        "env.ram_gib": 16.0,
        "env.ram_free_gib": 12.0,
    }
    assert str(seen.findings.facts[0].places[0].text) == f"{JOB}/memory.max"


def test_page_cache_counts_as_free(make_host: HostMaker) -> None:
    files = {
        f"{JOB}/memory.max": f"{16 << 30}\n",
        f"{JOB}/memory.current": f"{15 << 30}\n",
        f"{JOB}/memory.stat": f"anon {2 << 30}\ninactive_file {13 << 30}\n",
    }
    assert values(memory(in_v2(make_host, files)).findings)["env.ram_free_gib"] == 14.0


def test_version_1_is_read_inside_a_container(make_host: HostMaker) -> None:
    host = make_host(
        {
            "/proc/meminfo": MEMINFO,
            "/proc/self/mountinfo": V1,
            "/proc/self/cgroup": "9:memory:/docker/abc\n8:cpu,cpuacct:/docker/abc\n7:pids:/docker/abc\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": f"{8 << 30}\n",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes": f"{3 << 30}\n",
            "/sys/fs/cgroup/memory/memory.stat": f"inactive_file 0\ntotal_inactive_file {1 << 30}\n",
            "/sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
            "/sys/fs/cgroup/pids/pids.max": "512\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        }
    )
    found = values(memory(host).findings)
    assert found == {
        "env.memory_limit_gib": 8.0, "env.ram_gib": 8.0, "env.ram_free_gib": 6.0, "env.oom_kills": 3,
    }  # fmt: skip
    assert cgroups.cores(host) == (1.5, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us")
    assert cgroups.processes(host) == (512, "/sys/fs/cgroup/pids/pids.max")


def test_the_huge_number_of_version_1_is_no_limit(make_host: HostMaker) -> None:
    files = {
        "/proc/self/mountinfo": V1,
        "/proc/self/cgroup": "9:memory:/docker/abc\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    }
    assert cgroups.memory_limit(make_host(files)) is None


def test_a_group_named_as_the_host_sees_it_is_read_at_the_top_of_what_is_mounted(
    make_host: HostMaker,
) -> None:
    files = {
        "/proc/self/mountinfo": V1,
        "/proc/self/cgroup": "9:memory:/kubepods/pod1/def\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": f"{1 << 30}\n",
    }
    limit = cgroups.memory_limit(make_host(files))
    assert limit is not None
    assert limit.limit == 1 << 30


def test_a_group_outside_its_namespace_is_read_at_the_top(make_host: HostMaker) -> None:
    files = {
        "/proc/self/mountinfo": V2,
        "/proc/self/cgroup": "0::/../../elsewhere\n",
        "/sys/fs/cgroup/memory.max": "1024\n",
    }
    limit = cgroups.memory_limit(make_host(files))
    assert limit is not None
    assert limit.source == "/sys/fs/cgroup/memory.max"


def test_processes_that_the_kernel_killed_for_memory_are_counted(make_host: HostMaker) -> None:
    host = in_v2(make_host, {f"{JOB}/step/memory.events": "low 0\noom 4\noom_kill 2\n"})
    assert values(memory(host).findings)["env.oom_kills"] == 2


@pytest.mark.parametrize(
    ("environ", "limit"),
    [
        ({"SLURM_MEM_PER_NODE": "16384"}, 16.0),
        ({"SLURM_MEM_PER_CPU": "4096", "SLURM_CPUS_ON_NODE": "8"}, 32.0),
        ({"SLURM_MEM_PER_NODE": "0"}, None),
        ({"SLURM_MEM_PER_NODE": "999999999"}, None),
    ],
)
def test_a_job_of_slurm_limits_memory(
    make_host: HostMaker, environ: dict[str, str], limit: float | None
) -> None:
    found = values(memory(make_host({"/proc/meminfo": MEMINFO}, environ)).findings)
    assert found.get("env.memory_limit_gib") == limit
    assert found["env.ram_gib"] == (limit or 62.5)


def test_other_systems_do_not_tell_what_is_free(make_host: HostMaker) -> None:
    seen = memory(make_host(system="darwin"))
    assert "darwin" in seen.findings.unknowable["env.ram_free_gib"]


# -- cores and limits -------------------------------------------------------------------------


def test_a_quota_below_the_affinity_is_what_counts(
    make_host: HostMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    seen = Observed()
    capacity.observe_cores(in_v2(make_host, {f"{JOB}/cpu.max": "400000 100000\n"}), seen)
    (fact,) = seen.findings.facts
    assert (fact.value, fact.places[0].text, fact.note) == (4, f"{JOB}/cpu.max", "of 64 in the machine")


def test_half_a_core_is_one_core(make_host: HostMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    seen = Observed()
    capacity.observe_cores(in_v2(make_host, {f"{JOB}/cpu.max": "50000 100000\n"}), seen)
    assert values(seen.findings) == {"env.cpu_count": 1}


def test_without_a_quota_the_affinity_counts(make_host: HostMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    seen = Observed()
    capacity.observe_cores(in_v2(make_host, {f"{JOB}/cpu.max": "max 100000\n"}), seen)
    assert values(seen.findings) == {"env.cpu_count": 3}


def test_the_group_limits_processes_below_the_user(make_host: HostMaker) -> None:
    seen = Observed()
    capacity.observe_limits(in_v2(make_host, {f"{JOB}/pids.max": "7\n"}), seen)
    assert values(seen.findings)["env.process_limit"] == 7


@given(mountinfo=st.text(max_size=200), group=st.text(max_size=100), limit=st.text(max_size=40))
def test_any_content_of_the_kernel_files_is_survived(
    tmp_path_factory: pytest.TempPathFactory, mountinfo: str, group: str, limit: str
) -> None:
    root = tmp_path_factory.mktemp("root")
    for path, text in {
        "proc/self/mountinfo": V2 + mountinfo, "proc/self/cgroup": f"0::/{group}\n", "proc/meminfo": limit,
        "sys/fs/cgroup/memory.max": limit, "sys/fs/cgroup/cpu.max": limit,
    }.items():  # fmt: skip
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", errors="replace")
    host, seen = Host(root, {}, "linux"), Observed()
    capacity.observe_memory(host, seen)
    capacity.observe_cores(host, seen)
    assert {"env.ram_gib", "env.cpu_count"} <= {*values(seen.findings), *seen.findings.unknowable}
