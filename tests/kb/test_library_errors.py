"""What Python, PyTorch and trainers print about code, data, settings and packages becomes facts."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.probe import LogProbe


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def read(log: str, knowledge: Knowledge) -> dict[str, Value]:
    """The facts that the log probe finds in a text."""
    probe = LogProbe([Input("train.log", Kind.LOG, data=log.encode())], knowledge)
    return {fact.name: fact.value for fact in probe.run().facts}


INPLACE = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.cuda.FloatTensor [2, 64]], which is output 0 of ReluBackward0, is at version 3; expected version 2 instead."
)
DEVICES = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cpu!"
YAML = """\
yaml.scanner.ScannerError: mapping values are not allowed here
  in "configs/train.yaml", line 14, column 18
"""
TOKENIZERS = (
    "ImportError: tokenizers>=0.20,<0.21 is required for a normal functioning of this module, "
    "but found tokenizers==0.19.1."
)
SYMBOL = "ImportError: /env/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            INPLACE,
            {"log.inplace_modification": True, "grad.inplace.op": "ReluBackward0", "grad.inplace.version": 3},
        ),
        (
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x512 and 768x10)",
            {"log.matmul_shape_mismatch": True, "log.shape.given": "8x512", "log.shape.expected": "768x10"},
        ),
        (
            "RuntimeError: expected scalar type Half but found Float",
            {"log.dtype_expected_other": True, "log.dtype.expected": "Half", "log.dtype.given": "Float"},
        ),
        (
            DEVICES,
            {"log.tensors_on_different_devices": True, "log.device.one": "cuda:1", "log.device.other": "cpu"},
        ),
        (
            "ValueError: Your setup doesn't support bf16/gpu.",
            {"log.bf16_unsupported_by_device": True, "gpu.supports_bf16": False},
        ),
        (
            "TypeError: Trainer.__init__() got an unexpected keyword argument 'max_step'",
            {
                "log.keyword_argument_unknown": True,
                "log.argument.name": "max_step",
                "log.argument.of": "Trainer.__init__",
            },
        ),
        (
            "train.py: error: unrecognized arguments: --gradient-clipping 1.0",
            {
                "log.argument_unrecognised": True,
                "config.error.key": "--gradient-clipping",
                "config.unknown_key": True,
            },
        ),
        (
            YAML,
            {
                "log.yaml_does_not_parse": True,
                "config.error.file": "configs/train.yaml",
                "config.error.line": 14,
            },
        ),
        (
            "ModuleNotFoundError: No module named 'einops'",
            {"log.module_missing": True, "env.missing_module": "einops"},
        ),
        (
            TOKENIZERS,
            {
                "log.package_version_refused": True,
                "env.conflict.package": "tokenizers",
                "env.conflict.found": "0.19.1",
            },
        ),
        (
            SYMBOL,
            {"log.binary_does_not_fit_torch": True},
        ),
        (
            "07/12 14:02:11 - mmengine - INFO - resumed epoch: 12, iter: 9000",
            {"log.training_resumed": True, "log.resumed_epoch": 12, "log.resumed_step": 9000},
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_error_names_what_is_wrong(line: str, expected: dict[str, Value], knowledge: Knowledge) -> None:
    facts = read(f"epoch 0 step 10 loss 2.31\n{line}\n", knowledge)
    assert {name: facts.get(name) for name in expected} == expected


ORDINARY = """\
[rank: 0] Seed set to 42
trainable params: 4,194,304 || all params: 6,742,609,920 || trainable%: 0.0622
***** Running training *****
  Num examples = 51,760
{'loss': 1.204, 'grad_norm': 0.61, 'learning_rate': 2e-05, 'epoch': 0.4}
 iteration 100/ 5000 | lm loss: 6.1E+00 | loss scale: 4096.0 | number of skipped iterations:   0 | number of nan iterations:   0 |
Epoch 3:  41%|####      | 380/938 [00:01<00:02, 281.10it/s, loss=0.512, v_num=51]
      3/100      6.21G      1.204      1.511      1.102         43        640: 100%|##########| 120/120
Saving model checkpoint to out/checkpoint-500
{'train_runtime': 1986.4, 'train_samples_per_second': 8.4, 'train_loss': 1.06, 'epoch': 3.0}
"""


def test_an_ordinary_log_shows_no_failure(knowledge: Knowledge) -> None:
    facts = read(ORDINARY, knowledge)
    found = [
        rule.id
        for rule in knowledge.signatures.values()
        if rule.role in ("failure", "warning") and facts.get(rule.fact)
    ]
    assert found == []


def test_a_line_of_source_in_a_traceback_is_no_message(knowledge: Knowledge) -> None:
    source = "    raise TypeError(f\"{name}() got an unexpected keyword argument '{key}'\")"
    assert not read(f"epoch 0 step 10 loss 2.31\n{source}\n", knowledge).get("log.keyword_argument_unknown")
