"""The knowledge base as its authors write it. Validated when it changes, never when it is used."""

from .base import Entry, Evidence, Model
from .causes import Cause, Example, Symptom
from .dialects import Dialect, Renamed, Spelled
from .facts import Check, Derivation, FactSpec, Limit, PlaybookItem, Setting
from .fixes import Change, Checklist, Fix, Procedure, Step, TakeBack, Tick
from .reading import CodePattern, LogFormat, Metric, Sample, Signature
from .weights import Weights

__all__ = [
    "Cause", "Change", "Check", "Checklist", "CodePattern", "Derivation", "Dialect", "Entry", "Evidence",
    "Example", "FactSpec", "Fix", "Limit", "LogFormat", "Metric", "Model", "PlaybookItem", "Procedure",
    "Renamed", "Sample", "Setting", "Signature", "Spelled", "Step", "Symptom", "TakeBack", "Tick", "Weights",
]  # fmt: skip
