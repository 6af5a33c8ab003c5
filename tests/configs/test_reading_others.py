"""Notebooks, ini files, printed settings, and telling formats apart."""

from __future__ import annotations

import json

import pytest

from traindx.engine.facts import Origin
from traindx.probes.configs.exact import decode
from traindx.probes.configs.formats import ini_file, printed
from traindx.probes.configs.formats.edits import apply
from traindx.probes.configs.sources import format_of, printed_format, read_documents


def notebook(*cells: str) -> str:
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]},
        indent=1,
    )


def test_the_code_of_a_notebook_is_read_with_places_in_the_file() -> None:
    text = notebook('name = "é"\nlr = 5e-5', "bs = 16\n")
    documents = read_documents(decode("n.ipynb", text.encode()), Origin.CODE)
    python = next(one for one in documents if one.format == "python")
    places = {}
    for entry in python.reading.entries:
        assert entry.span is not None
        span = python.to_file(entry.span)
        assert span is not None
        places[entry.key] = text[slice(*span)]
    assert places == {"name": '\\"\\u00e9\\"', "lr": "5e-5", "bs": "16"}


def test_lines_of_a_notebook_that_start_with_a_mark_are_commands() -> None:
    text = notebook("!python train.py --lr 0.1 \\\n  --bs 4\nx = 1", "%%bash\npython t.py --wd 1\n")
    documents = read_documents(decode("n.ipynb", text.encode()), Origin.CODE)
    shell = next(one for one in documents if one.format == "shell")
    assert {entry.key: entry.value for entry in shell.reading.entries} == {"lr": "0.1", "bs": "4", "wd": "1"}
    assert shell.origin is Origin.SCRIPT


def test_ini_sections_quotes_and_comments() -> None:
    text = "[net]\nbatch=64 # c\nlr : '0.1'\n; x=1\npath = a;b\n"
    found = {entry.key: entry.value for entry in ini_file.read(text).entries}
    assert found == {"net.batch": "64", "net.lr": "0.1", "net.path": "a;b"}


def test_a_file_of_flags_keeps_its_dashes() -> None:
    text = "--lr=0.1\n--batchsize=4\n"
    entries = ini_file.read(text).entries
    assert {entry.key: entry.value for entry in entries} == {"lr": "0.1", "batchsize": "4"}
    whole = entries[0].whole
    assert whole is not None
    assert (
        apply(text, ini_file.insert(text, whole, ("warmup",), "100"))
        == "--lr=0.1\n--warmup=100\n--batchsize=4\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INFO args: Namespace(lr=0.1, fp16=True, name='a, b', n=None)", {"lr": 0.1, "fp16": True, "name": "a, b", "n": None}),
        ("Namespace(betas=(0.9, 0.99))", {"betas.0": 0.9, "betas.1": 0.99}),
        ("TrainingArguments(\n_n_gpu=1,\nlr_scheduler_type=<SchedulerType.LINEAR: 'linear'>,\noutput_dir=./out,\n)",
         {"_n_gpu": 1, "lr_scheduler_type": "linear", "output_dir": "./out"}),
        ("config: {'lr': 1e-4, 'opt': {'name': 'sgd'}}", {"lr": 1e-4, "opt.name": "sgd"}),
        ("  adam_beta1 ........................ 0.9\n  fp16 ...... True\n", {"adam_beta1": 0.9, "fp16": True}),
        ("| lr | 0.001 |\n| bs | 4 |\n", {"lr": 0.001, "bs": 4}),
        ("learning_rate     0.5\n", {"learning_rate": 0.5}),
        ("  Total train batch size (w. parallel, distributed & accumulation) = 16\n", {"Total train batch size": 16}),
        ("   \\\\   /|    Num examples = 10 | Num Epochs = 1 | Total steps = 60\n",
         {"Num examples": 10, "Num Epochs": 1, "Total steps": 60}),
    ],
)  # fmt: skip
def test_settings_as_runs_print_them(text: str, expected: dict[str, object]) -> None:
    assert {entry.key: entry.value for entry in printed.read(text).entries} == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("train.yml", "a: 1", "yaml"), ("ds.json.gz", "{}", "json"), ("Dockerfile", "RUN x", "shell"), (".env", "A=1", "shell"),
        ("yolov4.cfg", "[net]", "ini"), ("x.sbatch", "", "shell"), ("<stdin>", '{"a": 1}', "json"), ("<stdin>", "#!/bin/sh\n", "shell"),
        ("<stdin>", "a: 1\nb: 2\n", "yaml"), ("<stdin>", "[a]\nb = 1\n", "toml"), ("<stdin>", "[net]\nb = x y\n", "ini"),
        ("<stdin>", "import torch\nlr = 1\n", "python"), ("<stdin>", "python train.py --lr 1", "shell"), ("<stdin>", "Namespace(a=1)", "printed"),
        ("solver.prototxt", "base_lr: 0.1\n", "printed"), ("<stdin>", "layer {\n  name: \"data\"\n}\n", "printed"),
    ],
)  # fmt: skip
def test_formats_are_told_apart(name: str, text: str, expected: str) -> None:
    assert format_of(name, text) == expected


def test_a_printed_command_line_is_read_as_one() -> None:
    assert printed_format("+ torchrun --nproc_per_node 8 train.py --lr 1") == "shell"
    assert printed_format("$ th main.lua -nGPU 8 -batchSize 1024") == "shell"
    assert printed_format("lr: 0.1\nbs: 4") == "printed"
