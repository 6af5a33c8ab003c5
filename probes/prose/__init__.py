"""What a person writes about a run: what a sentence states, and what was tried with what result."""

from .reader import ProseReader

__all__ = ["ProseReader"]
