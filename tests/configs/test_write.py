from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from traindx.probes.configs.patch import Patch
from traindx.probes.configs.write import NotWritten, write_patched, write_text

from .conftest import Reads

TEXT = "lr: 0.1  # größer\r\nseed: 1"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "train.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    path.chmod(0o640)
    return path


def plan(read: Reads, path: Path) -> Patch:
    return read({"train.yaml": path}).plan(learning_rate=0.01)


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_in_place_with_a_backup_and_everything_else_as_it_was(read: Reads, config: Path) -> None:
    original = config.read_bytes()
    written = write_patched(plan(read, config))
    assert config.read_bytes() == original.replace(b"0.1 ", b"0.01 ")
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert written[0].backup is not None
    assert written[0].backup.read_bytes() == original
    assert set(listing(config.parent)) == {"train.yaml", "train.yaml.bak"}


def test_a_backup_is_never_overwritten(read: Reads, config: Path) -> None:
    (config.parent / "train.yaml.bak").write_text("mine")
    assert write_patched(plan(read, config))[0].backup == config.parent / "train.yaml.bak1"
    assert (config.parent / "train.yaml.bak").read_text() == "mine"


def test_a_link_stays_a_link(read: Reads, config: Path) -> None:
    link = config.parent / "link.yaml"
    link.symlink_to(config)
    write_patched(plan(read, link))
    assert link.is_symlink()
    assert b"0.01" in config.read_bytes()


def test_elsewhere_leaves_the_original(read: Reads, config: Path, tmp_path: Path) -> None:
    original = config.read_bytes()
    write_patched(plan(read, config), to=tmp_path / "new.yaml")
    assert config.read_bytes() == original
    assert b"0.01" in (tmp_path / "new.yaml").read_bytes()
    assert not list(tmp_path.glob("*.bak*"))


def test_elsewhere_keeps_what_stood_there(read: Reads, config: Path, tmp_path: Path) -> None:
    (tmp_path / "new.yaml").write_text("mine")
    patch = plan(read, config)
    assert write_patched(patch, to=tmp_path / "new.yaml")[0].backup == tmp_path / "new.yaml.bak"
    assert (tmp_path / "new.yaml.bak").read_text() == "mine"
    assert write_patched(patch, to=tmp_path / "new.yaml")[0].backup is None  # it stands there already


def test_two_files_of_one_name_do_not_become_one(read: Reads, tmp_path: Path) -> None:
    names = ("a/config.yaml", "b/config.yaml")
    for name in names:
        (tmp_path / name).parent.mkdir()
    (tmp_path / names[0]).write_text("lr: 0.1\n")
    (tmp_path / names[1]).write_text("weight_decay: 0.5\n")
    patch = read({name: tmp_path / name for name in names}).plan(learning_rate=0.01, weight_decay=0.1)
    assert len(patch.files) == 2
    (tmp_path / "out").mkdir()
    with pytest.raises(NotWritten, match="two of the changed files"):
        write_patched(patch, to=tmp_path / "out")
    assert listing(tmp_path / "out") == {}


def test_a_directory_takes_files_under_their_names(read: Reads, config: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert write_patched(plan(read, config), to=tmp_path / "out")[0].path == tmp_path / "out" / "train.yaml"


def test_a_file_that_has_changed_since_is_left_alone(read: Reads, config: Path) -> None:
    patch = plan(read, config)
    config.write_text("lr: 0.5\n")
    with pytest.raises(NotWritten, match="has changed since it was read"):
        write_patched(patch)
    assert listing(config.parent) == {"train.yaml": b"lr: 0.5\n"}


@pytest.mark.parametrize("call", ["replace", "fsync", "open", "chmod"])
def test_a_failed_write_loses_nothing_and_leaves_nothing(
    read: Reads, config: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    patch, before = plan(read, config), listing(config.parent)

    def full(*args: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, full)
    with pytest.raises(NotWritten, match="No space left"):
        write_patched(patch)
    monkeypatch.undo()
    assert listing(config.parent) == before


def test_what_did_not_come_from_a_file_needs_a_name(read: Reads) -> None:
    with pytest.raises(NotWritten, match="name one to write to"):
        write_patched(read({"<stdin>": "lr: 0.1\n"}).plan(learning_rate=0.01))


def test_a_text_that_does_not_fit_the_encoding_is_refused(read: Reads, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes("model_name: caf\xe9\nlr: 0.1\n".encode("latin-1"))
    with pytest.raises(NotWritten, match="does not fit its encoding"):
        write_patched(read({"c.yaml": path}).plan(model_name="日本"))
    assert path.read_bytes() == "model_name: caf\xe9\nlr: 0.1\n".encode("latin-1")


def test_a_text_is_written_whole(tmp_path: Path) -> None:
    written = write_text(tmp_path / "report.md", "größer\n")
    assert (written.path.read_bytes(), written.backup) == ("größer\n".encode(), None)
    assert set(listing(tmp_path)) == {"report.md"}


def test_a_text_replaces_what_stood_there_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("old")
    path.chmod(0o600)
    assert write_text(path, "new").backup is None
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o600)
    assert write_text(path, "newer", backup=True).backup == tmp_path / "report.md.bak"
    assert (tmp_path / "report.md.bak").read_text() == "new"


def test_a_pipe_takes_a_text_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "report")
        assert os.read(reader, 100) == b"report"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_links_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(NotWritten):
        write_text(tmp_path / "loop", "x")


@pytest.mark.parametrize("where", ["missing/report.md", ""])
def test_a_text_that_cannot_be_written_is_said(tmp_path: Path, where: str) -> None:
    with pytest.raises(NotWritten):
        write_text(tmp_path / where, "x")
    assert listing(tmp_path) == {}


@pytest.mark.parametrize("backup", [False, True])
def test_a_full_disk_leaves_the_old_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, backup: bool
) -> None:
    path = tmp_path / "report.md"
    path.write_text("old")

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotWritten, match="No space left"):
        write_text(path, "new", backup=backup)
    assert listing(tmp_path) == {"report.md": b"old"}
