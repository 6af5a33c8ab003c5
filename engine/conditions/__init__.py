"""The condition language of the rules: small, three-valued, compiled, without eval.

    config.precision == "fp16" and loss.first_nonfinite_step <= 50
    not data.inputs.nonfinite
    env.package.torch < "2.1" or said("works on one gpu")

Names are facts, `limit.` names are the thresholds of the knowledge base. What is unknown
stays unknown: `unknown and false` is false, `unknown and true` is unknown.
"""

from .check import check
from .evaluate import Condition, Lookup, compile_node
from .parse import ConditionError, Node, needs, parse
from .triggers import triggers
from .witness import witnesses
from .words import in_words

__all__ = [
    "Condition", "ConditionError", "Lookup", "Node", "check", "compile_node", "in_words", "needs", "parse",
    "triggers", "witnesses",
]  # fmt: skip
