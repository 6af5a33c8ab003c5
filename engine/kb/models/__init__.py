"""The knowledge base as its authors write it. Validated when it changes, never when it is used."""

from .base import PROVEN, Entry, Evidence, Model
from .causes import Cause, Example, Symptom
from .code import CodePattern, Flow, Idiom
from .dialects import Dialect, Renamed, Spelled
from .facts import Check, Derivation, FactSpec, Limit, PlaybookItem, Setting
from .fixes import Change, Checklist, Fix, Procedure, Step, TakeBack, Tick
from .live import Answer, Experiment, Notice
from .machine import Device, Package, Variable
from .prose import Phrase, Trial
from .reading import Frame, LogFormat, Metric, Sample, Signature, Words
from .weights import Reports, Weights

__all__ = [
    "PROVEN", "Answer", "Cause", "Change", "Check", "Checklist", "CodePattern", "Derivation", "Device", "Dialect", "Entry",
    "Evidence", "Example", "Experiment", "FactSpec", "Fix", "Flow", "Frame", "Idiom", "Limit", "LogFormat", "Metric",
    "Model", "Notice", "Package", "Phrase", "PlaybookItem", "Procedure", "Renamed", "Reports", "Sample", "Setting",
    "Signature", "Spelled", "Step", "Symptom", "TakeBack", "Tick", "Trial", "Variable", "Weights", "Words",
]  # fmt: skip
