"""The header of a .safetensors file: its length in eight bytes, then JSON. The data behind it is not read here."""

from __future__ import annotations

import json
from typing import IO, Any

from .contents import Contents, Tensor, Unreadable

MAX_HEADER = 100 << 20
"""As the format allows."""
_DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip


def read_safetensors(file: IO[bytes], size: int) -> Contents:
    """What is in it. Raises Unreadable where the header is none, or promises more bytes than there are."""
    length = int.from_bytes(file.read(8), "little")
    if not 2 <= length <= min(MAX_HEADER, size - 8):
        raise Unreadable("no safetensors file, or cut off: its header is longer than the file")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError):
        raise Unreadable("its header is no JSON") from None
    if not isinstance(header, dict):
        raise Unreadable("its header is no JSON object")
    start = 8 + length
    tensors = [_tensor(name, one, start) for name, one in header.items() if name != "__metadata__"]
    end = max((one.start + one.size for one in tensors), default=start)
    if end > size:
        raise Unreadable(f"cut off: its tensors end at byte {end:,} and the file at {size:,}")
    return Contents("safetensors", tuple(one.name for one in tensors), tensors)


def _tensor(name: str, one: Any, start: int) -> Tensor:
    try:
        begin, end = one["data_offsets"]
        shape = tuple(int(side) for side in one["shape"])
        return Tensor(
            name,
            _DTYPES.get(one["dtype"], str(one["dtype"])),
            shape,
            start + int(begin),
            int(end) - int(begin),
        )
    except (TypeError, KeyError, ValueError):
        raise Unreadable(f"its header describes `{name[:80]}` wrongly") from None
