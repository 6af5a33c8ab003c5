from __future__ import annotations

import pytest

from traindx.probes.configs.formats import python_file


def values(text: str) -> dict[str, object]:
    entries = python_file.read(text).entries
    return {
        f"{entry.scope}.{entry.key}" if entry.scope else entry.key: entry.value
        for entry in entries
        if entry.path[-1] != "()"
    }


def test_settings_files_of_assignments() -> None:
    assert values("batch_size = 5 * 8 # grad\nlearning_rate = 6e-4\ncompile = True\na, b = 1, 'x'\n") == {
        "batch_size": 40, "learning_rate": 6e-4, "compile": True, "a": 1, "b": "x",
    }  # fmt: skip


def test_nested_dicts_in_both_spellings() -> None:
    assert values("optim = dict(type='SGD', opt={'lr': 0.1})\n") == {"optim.type": "SGD", "optim.opt.lr": 0.1}


def test_dataclass_fields_and_parameters_with_defaults() -> None:
    text = "class C:\n    lr: float = 1e-3\n    use_mixed_precision: bool = False  # was True\ndef f(x, gamma=2.5, *, n=3): ...\n"
    assert values(text) == {"lr": 1e-3, "use_mixed_precision": False, "gamma": 2.5, "n": 3}


def test_options_that_argparse_and_click_declare() -> None:
    text = (
        'p.add_argument("-b", "--batch-size", type=int, default=16)\n'
        'p.add_argument("--fp16", action="store_true")\n'
        '@click.option("--lr", default=0.1)\ndef main(lr): ...\n'
    )
    assert values(text) == {"batch-size": 16, "fp16": False, "lr": 0.1}


def test_flags_that_absl_declares() -> None:
    text = 'flags.DEFINE_float("learning_rate", 1e-4, "rate [1e-4]")\nDEFINE_string("name", None, "of the run")\n'
    assert values(text) == {"learning_rate": 1e-4, "name": None}


def test_arguments_by_name_and_by_position() -> None:
    read = values("clip_grad_norm_(model.parameters(), 1.0)\nDataLoader(ds, 8, num_workers=2)\n")
    assert read["clip_grad_norm_.1"] == 1.0
    assert (read["DataLoader.1"], read["DataLoader.num_workers"]) == (8, 2)


def test_a_count_is_no_setting_whatever_its_name() -> None:
    text = (
        "accum_steps = 4\n"
        "def train(self):\n"
        "    total, n_accum = 0.0, 0\n"
        "    self.epoch = steps = 0\n"
        "    for batch in data:\n"
        "        n_accum += 1\n"
        "        self.epoch += 1\n"
        "        steps = steps + 1\n"
        "        if n_accum == accum_steps:\n"
        "            n_accum = 0\n"
    )
    assert values(text) == {"accum_steps": 4, "total": 0.0, "steps": None}


def test_what_changes_in_another_way_is_set_to_what_it_starts_from() -> None:
    text = (
        "lr = 0.1\nlr *= 0.5\nbatch_size = 16\nbatch_size += 16\nweight_decay = 0\nprint(weight_decay + 1)\n"
    )
    assert values(text) | {"print.0": None} == {
        "lr": 0.1,
        "batch_size": 16,
        "weight_decay": 0,
        "print.0": None,
    }


def test_a_constant_is_followed_to_where_it_is_defined() -> None:
    text = "LR = 5e-5\nopt = AdamW(p, lr=LR)\n"
    entry = next(one for one in python_file.read(text).entries if one.key == "lr")
    assert entry.value == 5e-5
    assert entry.span is not None
    assert text[slice(*entry.span)] == "5e-5"


@pytest.mark.parametrize(
    "text", ["lr = args.lr", "lr = rates[0]", "lr = f()", "lr = 0.1 if fast else 0.2", "lr = x = y * 2"]
)
def test_what_only_running_would_tell_is_computed(text: str) -> None:
    entry = python_file.read(text).entries[0]
    assert entry.style in ("name", "computed", "call")
    assert not isinstance(entry.value, float)


def test_power_expressions_are_numbers() -> None:
    assert values("a = 2.**16\nb = 1 << 10\nc = -3\nd = 10 ** 1000\n") == {
        "a": 65536.0,
        "b": 1024,
        "c": -3,
        "d": None,
    }


def test_places_are_right_behind_letters_that_take_several_bytes() -> None:
    text = "x = f(é='ü', lr=0.25)\n"
    entry = next(one for one in python_file.read(text).entries if one.key == "lr")
    assert entry.span is not None
    assert text[slice(*entry.span)] == "0.25"


def test_an_indented_excerpt_is_read() -> None:
    text = "    lr = 0.1\n    bs = 4\n"
    entries = python_file.read(text).entries
    assert [text[slice(*entry.span)] for entry in entries if entry.span] == ["0.1", "4"]


def test_magics_of_notebooks_do_not_break_a_script() -> None:
    assert values("%matplotlib inline\n!pip install x\nlr = 0.1\n") == {"lr": 0.1}


def test_environment_variables_set_in_a_script() -> None:
    entry = python_file.read('import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "1"\n').entries[0]
    assert (entry.kind, entry.key, entry.value) == ("environment", "CUDA_VISIBLE_DEVICES", "1")


def test_a_syntax_error_has_its_place() -> None:
    problem = python_file.read("a = 1\nb = = 2\n").problems[0]
    assert (problem.kind, problem.at) == ("syntax", 10)


def test_a_script_too_deep_for_the_parser_is_a_note() -> None:
    assert python_file.read("(" * 3000).problems[0].kind in ("note", "syntax")


@pytest.mark.parametrize(
    ("text", "kind", "at"),
    [
        ("a = dict(lr=1, lr=2)\n", "syntax", 15),
        ("fit(model, lr=1, steps=3, lr=2)\n", "syntax", 26),
        ("a = {'lr': 1, 'lr': 2}\n", "duplicate", 14),
    ],
)
def test_what_stands_twice_is_a_mistake(text: str, kind: str, at: int) -> None:
    assert [(one.kind, one.at) for one in python_file.read(text).problems] == [(kind, at)]


def test_keys_that_are_computed_or_spread_may_be_alike() -> None:
    assert not python_file.read("a = {x: 1, x: 2, **b, **c}\nf(**a, **b, lr=1)\n").problems
