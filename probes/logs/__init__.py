"""Reading logs: metrics, error texts, tracebacks, what a person wrote, metric records."""

from .plain_series import parse_series, series_facts
from .probe import LogProbe

__all__ = ["LogProbe", "parse_series", "series_facts"]
