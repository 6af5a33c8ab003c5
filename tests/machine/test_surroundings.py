"""Variables, containers, storage."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.machine.gives import variable_facts
from traindx.probes.machine.host import Host
from traindx.probes.machine.mounts import is_remote, mount_of, mounts
from traindx.probes.machine.observed import Observed
from traindx.probes.machine.storage import observe_disk, observe_network_storage, observe_shared_memory
from traindx.probes.machine.surroundings import observe_surroundings
from traindx.probes.machine.variables import observe_variables

from .conftest import HostMaker, values


def variables(knowledge: Knowledge, environ: dict[str, str]) -> Observed:
    seen = Observed()
    observe_variables(Host(Path("/nowhere"), environ), knowledge, seen)
    return seen


@pytest.mark.parametrize(
    ("name", "value", "fact", "told"),
    [
        ("CUDA_VISIBLE_DEVICES", "2,3", "env.visible_devices", "2,3"),
        ("CUDA_VISIBLE_DEVICES", "", "env.visible_devices", ""),
        ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", "env.alloc_conf", "expandable_segments:True"),
        ("OMP_NUM_THREADS", "1", "env.omp_threads", 1),
        ("CUDA_LAUNCH_BLOCKING", "1", "env.launch_blocking", True),
        ("TOKENIZERS_PARALLELISM", "false", "env.tokenizers_parallelism", False),
        ("SLURM_JOB_ID", "4711", "env.scheduler", "slurm"),
        ("COLAB_RELEASE_TAG", "release-1", "env.hosted", "colab"),
    ],
)
def test_a_variable_becomes_a_typed_fact(
    knowledge: Knowledge, name: str, value: str, fact: str, told: object
) -> None:
    seen = variables(knowledge, {name: value})
    assert values(seen.findings)[fact] == told
    assert values(seen.findings)["env.variables"] == (f"{name}={value}",)


def test_only_variables_that_matter_are_shown(knowledge: Knowledge) -> None:
    seen = variables(knowledge, {"NCCL_ALGO": "Ring", "SHELL": "/bin/sh", "AWS_REGION": "x"})
    assert values(seen.findings)["env.variables"] == ("NCCL_ALGO=Ring",)


def shown(knowledge: Knowledge, environ: dict[str, str]) -> str:
    texts = values(variables(knowledge, environ).findings)["env.variables"]
    assert isinstance(texts, tuple)
    return "|".join(texts)


def test_secrets_in_values_are_masked(knowledge: Knowledge) -> None:
    environ = {"HF_ENDPOINT": "https://me:hunter2secret@hub.example", "NCCL_AUTH_TOKEN": "abcdefghijkl1234"}
    assert "hunter2secret" not in shown(knowledge, environ)
    assert "abcdefghijkl1234" not in shown(knowledge, environ)


def test_a_value_cannot_bring_control_characters_or_lines(knowledge: Knowledge) -> None:
    text = shown(knowledge, {"NCCL_DEBUG": "INFO\n\x1b[31mx" + "y" * 999})
    assert not {"\n", "\x1b"} & set(text)
    assert len(text) < 400


def test_a_value_that_is_no_number_is_a_reason(knowledge: Knowledge) -> None:
    reason = variables(knowledge, {"OMP_NUM_THREADS": "many"}).findings.unknowable["env.omp_threads"]
    assert reason == "OMP_NUM_THREADS is set to `many`, which cannot be read"


def test_a_variable_that_is_not_set_is_a_reason(knowledge: Knowledge) -> None:
    reasons = variables(knowledge, {}).findings.unknowable
    assert set(reasons) == variable_facts(knowledge)
    assert reasons["env.visible_devices"] == "not set: CUDA_VISIBLE_DEVICES"


# -- containers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "environ", "sign"),
    [
        ({"/.dockerenv": ""}, {}, "/.dockerenv"),
        ({"/run/.containerenv": ""}, {}, "/run/.containerenv"),
        ({}, {"APPTAINER_CONTAINER": "/images/x.sif"}, "APPTAINER_CONTAINER"),
        ({"/proc/self/cgroup": "0::/kubepods/burstable/pod1\n"}, {}, "/proc/self/cgroup"),
    ],
)
def test_a_container_leaves_signs(
    make_host: HostMaker, files: dict[str, str], environ: dict[str, str], sign: str
) -> None:
    seen = Observed()
    observe_surroundings(make_host(files, environ), seen)
    fact = next(one for one in seen.findings.facts if one.name == "env.in_container")
    assert (fact.value, fact.places[0].text) == (True, sign)


def test_a_machine_without_signs_is_no_container(make_host: HostMaker) -> None:
    seen = Observed()
    observe_surroundings(make_host({"/proc/self/cgroup": "0::/user.slice/user-1000.slice\n"}), seen)
    assert values(seen.findings) == {"env.platform": "linux", "env.in_container": False, "env.wsl": False}


def test_windows_below_linux_is_seen(make_host: HostMaker) -> None:
    seen = Observed()
    observe_surroundings(
        make_host({"/proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2\n"}), seen
    )
    assert values(seen.findings)["env.wsl"] is True


# -- storage ----------------------------------------------------------------------------------

MOUNTS = r"""21 1 8:1 / / rw - ext4 /dev/sda1 rw
40 21 0:40 / /data rw - nfs4 server:/export rw
41 40 8:2 / /data/local rw - xfs /dev/sdb1 rw
42 21 0:44 / /mnt/my\040drive rw - fuse.rclone remote: rw
43 21 0:45 / /mnt/c rw - 9p drvfs rw
"""


@pytest.mark.parametrize(
    ("path", "remote"),
    [
        ("/home/me", False),
        ("/data/train", True),
        ("/data/local/x", False),
        ("/mnt/my drive/x", True),
        ("/mnt/c/x", True),
    ],
)
def test_the_deepest_mount_decides_whether_data_is_remote(
    make_host: HostMaker, path: str, remote: bool
) -> None:
    mount = mount_of(Path(path), make_host({"/proc/self/mountinfo": MOUNTS}))
    assert mount is not None
    assert is_remote(mount) is remote


def test_lines_that_are_no_mounts_are_passed_over(make_host: HostMaker) -> None:
    assert list(mounts(make_host({"/proc/self/mountinfo": "\nx\n1 2 - \n - - -\n"}))) == []


def test_data_that_is_not_here_says_nothing_about_storage(make_host: HostMaker) -> None:
    seen = Observed()
    observe_network_storage(make_host(), Path("/no/such/data"), seen)
    assert seen.findings.unknowable == {"env.network_storage": "the training data is not on this machine"}


def test_data_here_is_told_with_its_mount(make_host: HostMaker, tmp_path: Path) -> None:
    seen = Observed()
    host = make_host(
        {"/proc/self/mountinfo": f"40 21 0:40 / {tmp_path.resolve()} rw - nfs4 server:/export rw\n"}
    )
    observe_network_storage(host, tmp_path, seen)
    (fact,) = seen.findings.facts
    assert (fact.value, fact.places[0].text) == (True, f"{tmp_path.resolve()} (nfs4)")


def test_room_is_told_for_an_output_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    seen = Observed()
    observe_disk(tmp_path / "runs" / "new", seen)
    assert seen.findings.facts[0].places[0].text == str(tmp_path)
    assert set(values(seen.findings)) | set(seen.findings.unknowable) == {
        "env.disk_free_gib", "env.tmp_free_gib", "env.inodes_free",
    }  # fmt: skip


def test_shared_memory_is_measured_where_it_is(make_host: HostMaker) -> None:
    seen = Observed()
    observe_shared_memory(make_host({"/dev/shm/x": ""}), seen)
    assert set(values(seen.findings)) == {"env.shm_gib", "env.shm_free_gib"}


def test_a_system_without_shared_memory_says_so(make_host: HostMaker) -> None:
    seen = Observed()
    observe_shared_memory(make_host(system="darwin"), seen)
    assert seen.findings.unknowable["env.shm_gib"] == "darwin has no /dev/shm"
