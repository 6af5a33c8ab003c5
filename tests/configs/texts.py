"""Settings as texts of every format, with comments, quotes and line ends of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from traindx.probes.configs.dialect import Dialect

from .choices import Draw, Tree


def to_yaml(tree: Tree, draw: Draw) -> str:
    """YAML with comments, quotes and an indentation of one's own."""
    step, line_end = draw([2, 4]), draw(["\n", "\r\n"])
    lines = ["# what we train", *_yaml_lines(tree, "", " " * step, draw)]
    return line_end.join(lines) + draw(["", line_end])


def _yaml_lines(tree: Tree, indent: str, step: str, draw: Draw) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:{draw(['', '  # a section'])}"
            yield from _yaml_lines(value, indent + step, step, draw)
        else:
            yield f"{indent}{key}: {_yaml_value(value, draw)}{draw(['', '  # lr: 3 in a comment', ' # é'])}"
        if draw([True, False, False]):
            yield draw(["", f"{indent}# - a note: 1"])


def _yaml_value(value: Any, draw: Draw) -> str:
    if isinstance(value, str):
        return draw([f"'{value}'", f'"{value}"'])
    if isinstance(value, bool):
        return draw(["true", "True"]) if value else draw(["false", "no"])
    return repr(value) if "e" not in repr(value) else f"{value:.1e}"


def to_json(tree: Tree, draw: Draw) -> str:
    """JSON in one line or indented."""
    text = json.dumps(tree, indent=draw([None, 2, 4, "\t"]))
    return text.replace("\n", draw(["\n", "\r\n"])) + draw(["", "\n"])


def to_toml(tree: Tree, draw: Draw) -> str:
    """TOML with a table for each section."""
    return "".join(_toml_lines(tree, (), draw))


def _toml_lines(tree: Tree, path: tuple[str, ...], draw: Draw) -> Iterator[str]:
    plain = {key: value for key, value in tree.items() if not isinstance(value, dict)}
    if path and plain:
        yield f"\n[{'.'.join(path)}]{draw(['', '  # a table'])}\n"
    for key, value in plain.items():
        written = f"'{value}'" if isinstance(value, str) and draw([True, False]) else json.dumps(value)
        yield f"{key}{draw([' = ', '='])}{written}{draw(['', '  # why = 1'])}\n"
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _toml_lines(value, (*path, key), draw)


def to_shell(tree: Tree, dialect: Dialect, draw: Draw) -> str:
    """A script that passes everything as options."""
    flags = {
        way.key: way.flag
        for ways in dialect.settings.values()
        for way in ways
        if way.flag and isinstance(way.key, str)
    }
    words = [
        word for key, value in flat(tree) for word in _option(flags.get(key) or key, value, dialect, draw)
    ]
    gap = draw([" ", " \\\n    "])
    return f"#!/bin/bash\n# train\nexport NAME=x\npython train.py{gap}{gap.join(words)}{draw(['', chr(10)])}"


def flat(tree: Tree, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every value with its dotted path."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, (*path, key))
        else:
            yield ".".join((*path, key)), value


def _option(key: str, value: Any, dialect: Dialect, draw: Draw) -> Iterator[str]:
    name = key.replace("_", "-") if dialect.hyphens else key
    if value is True and dialect.bare_flags:
        yield f"--{name}"
    elif value is not False or not dialect.bare_flags:
        yield f"--{name}{draw([' ', '='])}{draw([value, json.dumps(str(value))])}"


def to_python(tree: Tree, dialect: Dialect, draw: Draw) -> str:
    """A call of one of the trainer's classes, or assignments."""
    if dialect.calls:
        gap = draw([" ", "\n    "])
        call = min(dialect.calls)
        pairs = f",{gap}".join(f"{key}={value!r}" for key, value in tree.items())
        return f"import x\n\nargs = {call}({gap.strip(' ')}{pairs})  # done\n"
    own = {f"self.{key}": value for key, value in tree.get("self", {}).items()}
    assigned = {key: value for key, value in tree.items() if key != "self"} | own
    return "".join(
        f"{key} = {_python_value(value)}{draw(['', '  # why'])}\n" for key, value in assigned.items()
    )


def _python_value(value: Any) -> str:
    if not isinstance(value, dict):
        return repr(value)
    if not all(map(str.isidentifier, value)):
        return f"{{{', '.join(f'{key!r}: {_python_value(one)}' for key, one in value.items())}}}"
    return f"dict({', '.join(f'{key}={_python_value(one)}' for key, one in value.items())})"


def written(form: str, tree: Tree, dialect: Dialect, draw: Draw) -> str:
    """The settings as a text of a format."""
    match form:
        case "yaml":
            return to_yaml(tree, draw)
        case "json":
            return to_json(tree, draw)
        case "toml":
            return to_toml(tree, draw)
        case "shell":
            return to_shell(tree, dialect, draw)
    return to_python(tree, dialect, draw)


VERL = """\
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_batch_size=1024 data.max_prompt_length=512 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \\
    trainer.total_epochs=15 $@
"""
NEMO = """\
trainer:
  precision: bf16
  gradient_clip_val: 1.0
  accumulate_grad_batches: 1
model:
  micro_batch_size: 8
  global_batch_size: 256
  encoder_seq_length: 4096
  activations_checkpoint_granularity: null
  activations_checkpoint_method: null
  optim:
    lr: 3e-4
    sched:
      name: CosineAnnealing
"""
