from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.configs.document import Entry
from traindx.probes.configs.formats import shell_file


def entries(text: str) -> list[Entry]:
    return list(shell_file.read(text).entries)


def options(text: str) -> dict[str, object]:
    """Option -> value, as the programs get them."""
    return {entry.key: entry.value for entry in entries(text) if entry.kind in ("option", "launch")}


def test_options_in_all_forms() -> None:
    text = "python train.py --lr 1e-4 --bs=16 --fp16 -e 3 --name 'a b' --min -1 optim.wd=0.1 ++x.y=2\n"
    assert options(text) == {
        "lr": "1e-4", "bs": "16", "fp16": True, "e": "3", "name": "a b", "min": "-1", "optim.wd": "0.1", "x.y": "2",
    }  # fmt: skip


def test_continued_lines_and_comments() -> None:
    assert options("python t.py \\\n  --a 1 \\\n  --b 2  # --c 3\n") == {"a": "1", "b": "2"}


def test_an_option_with_several_values() -> None:
    assert options("python t.py --betas 0.9 0.99 --x 1\n") == {"betas": "0.9", "betas.1": "0.99", "x": "1"}


def test_options_before_the_script_are_its_launchers() -> None:
    found = {
        (one.scope, one.key): one.kind for one in entries("torchrun --nproc_per_node 2 train.py --lr 1\n")
    }
    assert found == {("torchrun", "nproc_per_node"): "launch", ("train", "lr"): "option"}


def test_a_subcommand_does_not_hide_its_program() -> None:
    assert entries("accelerate launch --mixed_precision fp16 t.py\n")[0].scope == "accelerate"


def test_variables_are_filled_in_and_keep_their_place() -> None:
    text = 'LR=5e-5\nOPTS=""\nOPTS+=" --lr ${LR} --fp16"\npython t.py $OPTS --name "$LR x"\n'
    lr = next(one for one in entries(text) if one.key == "lr")
    assert lr.value == "5e-5"
    assert lr.span == (3, 7)
    assert options(text)["name"] == "5e-5 x"


def test_arrays_are_filled_in() -> None:
    assert options('A=(\n --x 1  # c\n --y\n)\nA+=(--z 3)\npretrain_gpt.py "${A[@]}"\n') == {
        "x": "1",
        "y": True,
        "z": "3",
    }


def test_a_default_of_a_variable_counts_where_nothing_else_does() -> None:
    assert options("python t.py --lr ${LR:-0.1}\n") == {"lr": "0.1"}
    assert options("LR=${1:-0.1}\npython t.py --lr $LR --seed ${2}\n") == {"lr": "0.1", "seed": None}


@pytest.mark.parametrize("value", ["$1", "$(cat lr)", "`cat lr`", "$((1+1))", "$UNKNOWN"])
def test_what_only_running_would_tell_is_unknown(value: str) -> None:
    assert options(f"python t.py --lr {value}\n") == {"lr": None}


def test_slurm_directives() -> None:
    found = {
        entry.key: entry.value
        for entry in entries("#SBATCH --mem=4G\n#SBATCH -c 2\n#SBATCH --exclusive\n# SBATCH --x=1\n")
    }
    assert found == {"mem": "4G", "c": "2", "exclusive": True}


def test_exports_are_the_environment() -> None:
    found = {one.key: one.kind for one in entries("export A=1\nB=2\nC=3 python t.py\n")}
    assert found == {"A": "environment", "B": "variable", "C": "environment"}


def test_yacs_pairs() -> None:
    assert (
        options("python train_net.py --config-file a.yaml SOLVER.BASE_LR 0.01\n")["SOLVER.BASE_LR"] == "0.01"
    )


def test_heredocs_and_json_options_are_texts_of_their_own() -> None:
    text = "cat > ds.json <<'EOF'\n{\"a\": 1}\nEOF\npython t.py --h '{\"b\": 2}'\n"
    parts = shell_file.read(text).parts
    assert [(part.name, part.text) for part in parts] == [("ds.json", '{"a": 1}\n'), ("", '{"b": 2}')]
    assert all(text[part.offsets[0]] == part.text[0] for part in parts)


def test_a_space_behind_a_backslash_is_noted() -> None:
    problem = shell_file.read("python t.py --a 1 \\ \n  --b 2\n").problems[0]
    assert "a space behind the backslash" in problem.message


def test_windows_carets_continue_lines() -> None:
    assert options("python t.py ^\r\n --a 1 ^\r\n --b 2\r\n") == {"a": "1", "b": "2"}


def test_backslashes_stand_between_folders_on_windows() -> None:
    text = "@echo off\ncd /d D:\\runs\npython t.py ^\n --config D:\\lora\\base.toml --b 2\n"
    assert options(text) == {"config": "D:\\lora\\base.toml", "b": "2"}
    assert options("python t.py \\\n --name a\\ b\n") == {"name": "a b"}


def test_variables_that_double_themselves_stay_small() -> None:
    text = "A=xxxxxxxxxx\n" + "A=$A$A\n" * 60 + "python t.py --a $A\n"
    assert len(str(options(text)["a"])) <= 20_000


@given(st.text(alphabet="ab =-\\\"'$(){}<>|&;#\n\t1`EOF", max_size=200))
def test_any_text_is_read_and_places_are_inside_it(text: str) -> None:
    for entry in entries(text):
        if entry.span:
            start, end = entry.span
            assert 0 <= start <= end <= len(text)
            assert entry.style == "flag" or text[start:end] == entry.value


def test_a_script_in_quotes_is_one_of_its_own() -> None:
    text = "srun bash -c 'torchrun --nproc_per_node 8 train.py --lr 1e-4'\n"
    (part,) = shell_file.read(text).parts
    assert (part.format, text[part.offsets[0] : part.offsets[-1]]) == ("shell", part.text)
    assert "c" not in options(text)
    assert options(part.text)["lr"] == "1e-4"


@pytest.mark.parametrize("cut", ["--a 1 \\\n  # --b 2 \\\n", "--a 1 \\ \n", "--a 1  # first \\\n"])
def test_what_stands_below_a_command_that_was_cut_off_is_passed_to_nobody(cut: str) -> None:
    script = f"python t.py {cut}  --c 3 \\\n  --d 4 | tee log\npython u.py --e 5\n"
    assert {"a", "e"} == options(script).keys() & {"a", "c", "d", "e"}
    assert len(shell_file.read(script).problems) == 1


def test_a_comment_between_commands_cuts_nothing() -> None:
    script = "python t.py --a 1\n# python t.py --b 2 \\\n--c 3\n"
    assert options(script).keys() >= {"a", "c"}
    assert not shell_file.read(script).problems
