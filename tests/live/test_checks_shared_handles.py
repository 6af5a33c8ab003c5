"""Data sets that hold a file open when their workers are forked."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset

from tests.live.checking import checked

SHARED = "data.handle_shared"
COUNT = 16


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of one small member for each sample."""
    path = tmp_path / "samples.zip"
    with zipfile.ZipFile(path, "w") as writing:
        for index in range(COUNT):
            writing.writestr(str(index), bytes([index]))
    return path


class Members(Dataset[Any]):
    """Opens the archive as it is made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.archive: Any = zipfile.ZipFile(path)
        self.files = [path.open("rb")]

    def close(self) -> None:
        """Leave nothing open."""
        for one in (self.archive, *self.files):
            if one is not None:
                one.close()

    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, index: int) -> Any:
        return torch.tensor(list(self.archive.read(str(index))))


class Records(Members):
    """Seeks in one of several plain files."""

    def __getitem__(self, index: int) -> Any:
        self.files[0].seek(index)
        return torch.tensor(list(self.files[0].read(1)))


class OpenedLate(Members):
    """Opens the archive in each worker."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.archive.close()
        self.archive = None

    def member(self, name: str) -> bytes:
        """Its bytes."""
        if self.archive is None:
            self.archive = zipfile.ZipFile(self.path)
        return bytes(self.archive.read(name))

    def __getitem__(self, index: int) -> Any:
        return torch.tensor(list(self.member(str(index))))


class ReadWhole(Members):
    """Closes the archive when all is read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.rows = [self.archive.read(str(index)) for index in range(COUNT)]
        self.archive.close()

    def __getitem__(self, index: int) -> Any:
        return torch.tensor(list(self.rows[index])) if self.archive else None


def said_of(dataset: Members, workers: int = 2) -> Any:
    with checked() as said:
        list(DataLoader(Subset(dataset, range(8)), batch_size=8, num_workers=workers))  # one batch: no race
    dataset.close()
    return said.facts.get(SHARED)


def test_an_archive_that_is_open_when_workers_are_forked_is_shared(archive: Path) -> None:
    assert said_of(Members(archive)) == "Members.archive (zipfile.ZipFile)"


def test_a_plain_file_in_a_list_is_shared(archive: Path) -> None:
    assert said_of(Records(archive)) == "Records.files (io.BufferedReader)"


def test_a_file_that_each_worker_opens_is_its_own(archive: Path) -> None:
    late = OpenedLate(archive)
    late.member("0")
    assert said_of(late) is None


def test_a_closed_archive_is_shared_by_nobody(archive: Path) -> None:
    assert said_of(ReadWhole(archive)) is None


@pytest.mark.parametrize("workers", [0, 1])
def test_one_reader_shares_with_nobody(archive: Path, workers: int) -> None:
    assert said_of(Members(archive), workers) is None
