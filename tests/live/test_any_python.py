"""The observer runs under whatever Python the script has, from 3.9 on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIVE = Path(__file__).parents[2] / "probes" / "live"


def needs_more(*files: Path) -> str:
    """What needs more than Python 3.9, a line each. `x.long` is taken for Python 2's number."""
    vermin = [sys.executable, "-c", "import vermin; vermin.main()"]
    options = ["-t=3.9-", "--violations", "--no-tips", "--no-parse-comments", "--exclude", "long"]
    call = [*vermin, *options, *map(str, files)]
    found = subprocess.run(call, check=False, capture_output=True, text=True)
    assert found.stdout, found.stderr
    return "" if found.returncode == 0 else found.stdout


def test_nothing_in_the_observer_needs_more_than_python_3_9() -> None:
    assert needs_more(LIVE / "observer", LIVE / "start") == ""


def test_what_needs_more_would_be_seen(tmp_path: Path) -> None:
    script = tmp_path / "pairs.py"
    script.write_text("print(list(zip([1], [2], strict=True)))\n")
    assert "zip(strict)" in needs_more(script)
