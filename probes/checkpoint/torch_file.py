"""What torch.save wrote: a zip with a pickle and one member a storage, or, before torch 1.6, pickles in a row."""

from __future__ import annotations

import io
import zipfile
from typing import IO, Any

from .contents import Contents, Tensor, Unreadable, named_values
from .machine import Call, Name, Persistent
from .symbols import follow

MAX_PICKLE = 256 << 20
"""Bytes of a pickle that are read. It holds names and shapes, the numbers lie beside it."""
MAX_VALUES = 500_000
_MAGIC = 0x1950A86A20F9469CFC6C
"""The first pickle of the older format."""
_DTYPES = {
    "DoubleStorage": ("float64", 8), "FloatStorage": ("float32", 4), "HalfStorage": ("float16", 2),
    "BFloat16Storage": ("bfloat16", 2), "LongStorage": ("int64", 8), "IntStorage": ("int32", 4),
    "ShortStorage": ("int16", 2), "CharStorage": ("int8", 1), "ByteStorage": ("uint8", 1), "BoolStorage": ("bool", 1),
}  # fmt: skip
_HARMLESS = (
    "torch.",
    "collections.",
    "_codecs.",
    "builtins.set",
    "builtins.getattr",
    "numpy.",
    "__builtin__.set",
)


def read_torch(file: IO[bytes]) -> Contents:
    """What is in it. Raises Unreadable with what it is instead."""
    if file.read(4) == b"PK\x03\x04":
        return _read_zip(file)
    file.seek(0)
    return _read_row(file)


def _read_zip(file: IO[bytes]) -> Contents:
    try:
        with zipfile.ZipFile(file) as archive:
            members = {one.filename: one for one in archive.infolist()}
            pickled = next((name for name in members if name.endswith("data.pkl")), None)
            if pickled is None:
                raise Unreadable("a zip archive, and not one that torch.save wrote")
            with archive.open(pickled) as opened:
                data = opened.read(MAX_PICKLE + 1)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError) as error:
        raise Unreadable(f"cut off or damaged ({error})") from None
    if len(data) > MAX_PICKLE:
        raise Unreadable("its pickle is larger than any list of tensors")
    value, names = follow(io.BytesIO(data), _made)
    folder = pickled.removesuffix("data.pkl")
    return _contents("torch", value, names, lambda key: _start(file, members.get(f"{folder}data/{key}")))


def _start(file: IO[bytes], member: zipfile.ZipInfo | None) -> int:
    """Where the bytes of a stored member begin."""
    if member is None or member.compress_type != zipfile.ZIP_STORED:
        return -1
    file.seek(member.header_offset + 26)
    lengths = file.read(4)
    return (
        member.header_offset
        + 30
        + int.from_bytes(lengths[:2], "little")
        + int.from_bytes(lengths[2:], "little")
    )


def _read_row(file: IO[bytes]) -> Contents:
    first, _ = follow(file, _made)
    if first != _MAGIC:
        raise Unreadable("a pickle that torch.save did not write")
    for _ in ("protocol", "system"):
        follow(file, _made)
    value, names = follow(file, _made)
    return _contents("torch before 1.6", value, names, lambda _: -1)


def _made(call: Call) -> object:
    """What stands for a call: a mapping, a tensor, what a parameter wraps, or the call itself."""
    function, arguments = call
    if not isinstance(function, Name):
        return call
    if function.name in ("OrderedDict", "defaultdict", "Counter"):
        return {}
    if function.name in ("_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_from_type_v2"):
        return _inner(function.name, arguments)
    if function.name.startswith("_rebuild_") and arguments and isinstance(arguments[0], Persistent):
        return _Stored(arguments[0], arguments[1], tuple(arguments[2]))  # type: ignore[arg-type]
    return call


def _inner(name: str, arguments: tuple[Any, ...]) -> object:
    if name != "_rebuild_from_type_v2":
        return arguments[0]
    return _made(Call(arguments[0], tuple(arguments[2])))


class _Stored:
    """A tensor in the pickle: its storage, where it begins in it, its shape."""

    def __init__(self, storage: Persistent, offset: int, shape: tuple[int, ...]) -> None:
        self.storage, self.offset, self.shape = storage, offset, shape

    def tensor(self, name: str, start_of: Any) -> Tensor:
        """As a record. Raises ValueError for a storage that is described wrongly."""
        kind, key = self.storage.key[1], self.storage.key[2]  # type: ignore[index]
        dtype, width = _DTYPES.get(getattr(kind, "name", ""), ("unknown", 1))
        found = Tensor(name, dtype, tuple(int(side) for side in self.shape))
        start = start_of(key)
        if start < 0 or dtype == "unknown":
            return found
        return found._replace(start=start + int(self.offset) * width, size=found.elements * width)


def _contents(format: str, value: Any, names: set[str], start_of: Any) -> Contents:
    classes = tuple(sorted(name for name in names if not name.startswith(_HARMLESS)))
    if not isinstance(value, dict):
        kind = "a whole object" if classes else type(value).__name__
        raise Unreadable(f"{kind} and no mapping of states: {', '.join(classes[:3])}".removesuffix(": "))
    found = Contents(format, tuple(map(str, value)), classes=classes)
    try:
        for count, (name, one) in enumerate(named_values(value)):
            if count > MAX_VALUES:
                break
            if isinstance(one, _Stored):
                found.tensors.append(one.tensor(name, start_of))
            elif isinstance(one, int | float) and not isinstance(one, bool) and "." not in name:
                found.numbers[name] = float(one)
    except (ValueError, TypeError, IndexError, OverflowError, OSError) as error:
        raise Unreadable(f"a tensor in it is described wrongly ({error})") from None
    return found
