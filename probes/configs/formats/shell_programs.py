"""Which program does a command run: the launcher, the training script, a shell that is handed another script?"""

from __future__ import annotations

from traindx.engine.regex import regex

from .shell_parts import Word

_SCRIPT = regex(r"(?P<name>[\w.\-]+)\.(?:py|sh|ipynb)$")
_SHELLS = ("bash", "sh", "zsh", "dash")
_SCRIPT_NEXT = regex(r"-[a-z]*c")
"""The option of a shell behind which the script itself stands: `bash -c '...'`, `bash -lc '...'`."""


def inner_script(words: list[Word]) -> Word | None:
    """The script that a shell is handed in quotes, as in `srun bash -c 'torchrun train.py'`."""
    for before, option, word in zip(words, words[1:], words[2:], strict=False):
        if program_of(before) in _SHELLS and _SCRIPT_NEXT.fullmatch(option.text):
            return word
    return None


def script_at(words: list[Word]) -> int:
    """Where the training script or module stands; behind the end where the program itself is it."""
    for index, word in enumerate(words):
        if word.text == "-m" and index + 1 < len(words):
            return index + 1
        if _SCRIPT.search(word.text) and not word.text.startswith("-") and "=" not in word.text:
            return index
    return len(words)


def program_of(word: Word) -> str:
    """`accelerate` for `/usr/bin/accelerate`, `train` for `./train.py`."""
    name = word.text.rsplit("/", 1)[-1]
    found = _SCRIPT.search(name)
    return found["name"] if found else name[:100]
