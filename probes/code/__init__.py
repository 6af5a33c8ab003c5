"""Python training scripts, read and never run: patterns over their structure and over the values in them."""

from .patterns import check_pattern
from .probe import CodeProbe

__all__ = ["CodeProbe", "check_pattern"]
