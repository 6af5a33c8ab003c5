"""What a person writes about a run: which sentences state something, and what was tried with what result."""

from .reader import ProseReader

__all__ = ["ProseReader"]
