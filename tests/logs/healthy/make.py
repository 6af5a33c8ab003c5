"""Trains small models that learn well, and prints their runs as different trainers do.

    python -m tests.logs.healthy.make [NAME ...]

Every number comes from a real run on the CPU, but for times, speeds and memory, which are made up.
"""

from __future__ import annotations

import sys
from pathlib import Path

from . import images, texts

HERE = Path(__file__).parent
SHAPES = (*texts.SHAPES, *images.SHAPES)
SUFFIXES = {"json_lines": "jsonl", "llamafactory": "jsonl", "table": "csv"}

if __name__ == "__main__":
    for shape in (one for one in SHAPES if one.__name__ in sys.argv[1:] or len(sys.argv) == 1):
        path = HERE / f"{shape.__name__.replace('_', '-')}.{SUFFIXES.get(shape.__name__, 'log')}"
        path.write_text("\n".join(shape()) + "\n", encoding="utf-8")
        print(f"{path.stat().st_size:>7} {path.name}")
