"""Saved training states: what is in them, read without torch and without running anything in them."""

from .probe import CheckpointProbe

__all__ = ["CheckpointProbe"]
