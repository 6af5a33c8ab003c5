"""A small, sound knowledge base for tests that must not depend on the real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from traindx.engine.facts import Fact, Facts, Origin, Place, Value
from traindx.engine.kb.packs import Pack

WEIGHTS = """
strengths: {decisive: 24.0, strong: 12.0, moderate: 6.0, weak: 2.5}
priors: {usual: 0.2, common: 0.1, occasional: 0.04, rare: 0.012}
unlisted: 0.003
symptom: 0.02
trust: {answer: 1.0, log: 1.0, script: 1.0, config: 1.0, code: 1.0, prose: 0.8, derived: 1.0, default: 0.5, here: 0.7, elsewhere: 0.2}
something_else: 0.1
resemblance: 8.0
resemblance_of_files: 3.0
confirmed: 0.9
likely: 0.5
possible: 0.1
"""
FACTS = """
- {name: loss.nonfinite, type: bool, means: the loss is NaN}
- {name: loss.first, type: float, means: the first loss}
- {name: test.fp32_clears_nan, type: bool, means: FP32 clears it, ask: Does FP32 clear it?, minutes: 5}
- {name: test.lower_lr_helps, type: bool, means: a lower rate helps, ask: Does a lower rate help?, minutes: 2}
- {name: log.prose, type: list, means: sentences}
- name: grad.norm.exploding
  type: bool
  means: it explodes
  derive:
    - value: = grad.norm.max > limit.big
- {name: grad.norm.max, type: float, means: the largest}
"""
LIMITS = "- {id: big, value: 100, means: big, source: own}\n"
SETTINGS = """
- {id: precision, type: str, values: [fp32, fp16, bf16], means: precision}
- {id: learning_rate, type: float, means: rate}
- {id: micro_batch_size, type: int, means: batch}
- {id: gradient_accumulation_steps, type: int, means: accumulation}
- {id: grad_clip_norm, type: float, means: clip}
"""
SYMPTOM = """
id: nan-loss
title: The loss is NaN
aliases: [nan, not a number]
detect:
  - {if: loss.nonfinite, supports: decisive, because: it is NaN}
"""
FIXES = """
- {id: use-bf16, title: Train in BF16, safety: safe, effort_minutes: 2, settings: {precision: bf16}, expect: finite, conflicts: [use-fp32]}
- {id: use-fp32, title: Train in FP32, safety: unsafe, effort_minutes: 2, settings: {precision: fp32}, expect: finite}
- {id: lower-lr, title: Lower it, safety: unsafe, effort_minutes: 2, settings: {learning_rate: {multiply: 0.1}}, expect: calm}
"""
EXAMPLES = """
examples:
  - {name: wins, facts: {test.fp32_clears_nan: true}, expect: wins}
  - {name: silent, facts: {config.precision: bf16}, expect: silent}
  - {name: unsure, facts: {}, expect: cannot-tell}
"""
OVERFLOW = (
    """
id: fp16-overflow
title: FP16 overflows
symptoms: {nan-loss: common}
evidence:
  - {if: config.precision == "fp16", supports: strong, absent: strong, because: "it trains in {config.precision}"}
  - {if: test.fp32_clears_nan, supports: decisive, absent: decisive, because: FP32 clears it}
explanation: FP16 ends at 65504.
fixes: [use-bf16, use-fp32]
sources: [IEEE 754]
"""
    + EXAMPLES
)
RATE = """
id: lr-too-high
title: The rate is too high
symptoms: {nan-loss: common}
evidence:
  - {if: test.lower_lr_helps, supports: decisive, absent: strong, because: a lower rate helps}
  - {if: config.learning_rate > 0.01, supports: moderate, because: "the rate is {config.learning_rate:.2g}"}
explanation: Too large a step.
fixes: [lower-lr]
sources: [practice]
examples:
  - {name: wins, facts: {test.lower_lr_helps: true}, expect: wins}
  - {name: silent, facts: {test.lower_lr_helps: false}, expect: silent}
  - {name: unsure, facts: {}, expect: cannot-tell}
"""
BASE = {
    "weights.yaml": WEIGHTS,
    "facts/all.yaml": FACTS,
    "limits/all.yaml": LIMITS,
    "settings/all.yaml": SETTINGS,
    "symptoms/nan-loss.yaml": SYMPTOM,
    "fixes/all.yaml": FIXES,
    "causes/precision/fp16-overflow.yaml": OVERFLOW,
    "causes/optimisation/lr-too-high.yaml": RATE,
}

PackMaker = Callable[[Mapping[str, str]], Pack]


def facts_of(values: Mapping[str, Value], origin: Origin = Origin.LOG) -> Facts:
    facts = Facts()
    facts.extend(Fact(name, value, origin, (Place("train.log", 7),)) for name, value in values.items())
    return facts
