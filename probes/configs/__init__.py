"""Configurations and scripts as facts: read with exact places, and patched at them.

ConfigProbe(inputs, knowledge, printed)          the probe; after `run`, `sources` holds what was read
edit.plan_edits(sources, changes, knowledge)     canonical changes as a Patch of the person's own files
write.write_patched(patch, to=None)              the files written, in place with a backup, or elsewhere
write.write_text(path, text)                     a report or any other text, whole or not at all
"""

from .probe import ConfigProbe

__all__ = ["ConfigProbe"]
