"""What is there only when it is asked for: the check before training, breakpoints, profiles, the look at memory.

These may wait for the device and slow the run down; no other run has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..watcher import Watcher


def add_tools(watcher: Watcher) -> None:
    """Add the parts that the options ask for. What ends the run is told last, or others would miss the last step."""
    options, journal = watcher.options, watcher.journal
    if options.get("preflight"):
        from .sanity import Sanity

        watcher.add(Sanity(journal, watcher))
    if options.get("break"):
        from .breakpoints import break_at

        break_at(watcher.torch, options["break"], journal)
    if options.get("profile"):
        from .profiling import Profiling

        watcher.add(Profiling(journal, options["profile"], watcher))
    if options.get("hogs"):
        from .hogs import Hogs

        watcher.add(Hogs(journal, int(options["hogs"]), watcher))
    if options.get("stop_after"):
        from .stopping import Stopping

        watcher.add(Stopping(journal, int(options["stop_after"])))
