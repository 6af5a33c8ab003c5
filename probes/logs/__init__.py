"""Reading logs: metrics, error texts, tracebacks, what a person wrote, metric records."""

from .probe import LogProbe
from .series_facts import parse_series, series_facts

__all__ = ["LogProbe", "parse_series", "series_facts"]
