"""Gzip files."""

from __future__ import annotations

import gzip
import io


class Unzipped(gzip.GzipFile):
    """A decompressed file that closes the one below it too."""

    def __init__(self, raw: io.BufferedReader) -> None:
        super().__init__(fileobj=raw, mode="rb")
        self._below = raw

    def close(self) -> None:
        """Close both."""
        try:
            super().close()
        finally:
            self._below.close()
