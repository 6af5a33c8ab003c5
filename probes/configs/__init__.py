"""Configurations and scripts as facts: read with exact places, and patched at them.

`ConfigProbe` reads. `edit.plan_edits` turns canonical changes into a patch of the person's own files,
`write.write_patched` and `write.write_text` put files on disk, whole or not at all.
"""

from .probe import ConfigProbe

__all__ = ["ConfigProbe"]
