"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from .patch import FilePatch, Patch


class NotWritten(Exception):
    """A file that was left as it was. The message says why."""


class Written(NamedTuple):
    """A file that was written."""

    path: Path
    backup: Path | None = None
    """What stood there before, where something did."""


def write_patched(patch: Patch, *, to: Path | None = None) -> list[Written]:
    """Write every changed file: in place, or to another file or directory. What stood there stays beside it.

    Raises NotWritten where two files would be one, a file has changed since it was read, cannot be written
    exactly, or the disk refuses; that file then is as it was. Files before it in the patch are written.
    """
    if to is None:
        return [_in_place(one) for one in patch.files]
    inside = os.path.isdir(to)
    if len(patch.files) > 1 and not inside:
        raise NotWritten(f"{len(patch.files)} files were changed: name a directory for them")
    targets = [to / Path(one.file.name).name if inside else to for one in patch.files]
    if len(set(targets)) < len(targets):
        raise NotWritten(
            f"two of the changed files are called {_twice(targets).name}: name them one at a time"
        )
    return [_write(path, _bytes(one), backup=True) for path, one in zip(targets, patch.files, strict=True)]


def write_text(path: Path, text: str, *, backup: bool = False) -> Written:
    """Write a text as UTF-8, whole or not at all; an existing file keeps its permissions.

    With `backup`, what stood there is kept beside it. Raises NotWritten.
    """
    return _write(path, text.encode(), backup=backup)


def _twice(paths: list[Path]) -> Path:
    return next(path for path in paths if paths.count(path) > 1)


def _in_place(one: FilePatch) -> Written:
    if one.file.path is None:
        raise NotWritten(f"{one.file.name} did not come from a file; name one to write to")
    path = Path(os.path.realpath(one.file.path))
    original = _standing(path)
    if original is None:
        raise NotWritten(f"{path}: no such file")
    if original != one.file.encode(one.file.text):
        raise NotWritten(f"{path} is compressed, or has changed since it was read")
    return _write(path, _bytes(one), backup=True)


def _write(path: Path, data: bytes, *, backup: bool) -> Written:
    """A complete new file in the place of an old one, behind links; a device or a pipe takes the data as it is."""
    try:
        standing = os.stat(path)
    except FileNotFoundError:
        standing = None
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}") from None
    if standing is not None and not stat.S_ISREG(standing.st_mode):
        return _pour(path, data)
    path = Path(os.path.realpath(path))
    original = _standing(path) if backup else None
    if original == data:
        return Written(path)
    mode = standing.st_mode if standing is not None else None
    kept = _back_up(path, original, mode) if original is not None and mode is not None else None
    try:
        _replace(path, data, mode)
    except NotWritten:
        if kept is not None:
            kept.unlink(missing_ok=True)
        raise
    return Written(path, kept)


def _pour(path: Path, data: bytes) -> Written:
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}") from None
    return Written(path)


def _standing(path: Path) -> bytes | None:
    """What a file holds; None where there is none. Raises NotWritten where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}") from None


def _bytes(one: FilePatch) -> bytes:
    try:
        return one.file.encode(one.after)
    except UnicodeEncodeError:
        raise NotWritten(
            f"{one.file.name}: the new text does not fit its encoding, {one.file.encoding}"
        ) from None


def _back_up(path: Path, original: bytes, mode: int) -> Path:
    """The original under the first name that is free: FILE.bak, FILE.bak1, ..."""
    for number in range(1000):
        backup = path.with_name(f"{path.name}.bak{number or ''}")
        try:
            handle = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(mode))
        except FileExistsError:
            continue
        except OSError as error:
            raise NotWritten(f"{backup}: {error.strerror or error}") from None
        try:
            _fill(handle, original)
        except OSError as error:
            backup.unlink(missing_ok=True)
            raise NotWritten(f"{backup}: {error.strerror or error}") from None
        return backup
    raise NotWritten(f"{path}: a thousand backups are there already")


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    """Put a complete new file in the place of the old one, with its permissions."""
    temporary = path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}")
    try:
        _fill(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), data)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise NotWritten(f"{path}: {error.strerror or error}") from None
    _sync(path.parent)


def _fill(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make the new name last. Where directories cannot be synced, the file itself is safe already."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
