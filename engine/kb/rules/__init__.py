"""The compiled knowledge base: light, immutable records, built from the cache in milliseconds.

Tuples with names rather than dataclasses, which take four times as long to define.
"""

from __future__ import annotations

from .code import CodePatternRule, FlowRule
from .live import WAYS, AnswerRule, ExperimentRule, NoticeRule
from .logs import FrameRule, LogFormatRule, MetricRule, SignatureRule, TrialRule
from .machine import DeviceRule, PackageRule, VariableRule
from .reasoning import (
    TELLING,
    CauseRule,
    ChangeRule,
    DerivationRule,
    EvidenceRule,
    FactRule,
    FixRule,
    GuideRule,
    StepRule,
    SymptomRule,
    Weights,
    words_of,
)
from .rule import Rule, rule_from, stored_rule
from .settings import CheckRule, SettingRule

__all__ = [
    "TELLING",
    "WAYS",
    "AnswerRule",
    "CauseRule",
    "ChangeRule",
    "CheckRule",
    "CodePatternRule",
    "DerivationRule",
    "DeviceRule",
    "EvidenceRule",
    "ExperimentRule",
    "FactRule",
    "FixRule",
    "FlowRule",
    "FrameRule",
    "GuideRule",
    "LogFormatRule",
    "MetricRule",
    "NoticeRule",
    "PackageRule",
    "Rule",
    "SettingRule",
    "SignatureRule",
    "StepRule",
    "SymptomRule",
    "TrialRule",
    "VariableRule",
    "Weights",
    "rule_from",
    "stored_rule",
    "words_of",
]
