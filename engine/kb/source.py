"""The files of a knowledge base: which kinds there are, where they lie, what each entry looks like raw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..beside import beside
from ..yaml_nodes import YamlProblem
from ..yaml_tree import Path as TreePath
from ..yaml_tree import Tree, read_tree
from ..yaml_values import read_value
from .packs import Pack
from .problems import Problem


@dataclass(frozen=True, slots=True)
class KindOfFile:
    """One kind of entry: the folder it lies in, and whether a file holds one or a list of them."""

    name: str
    folder: str
    listed: bool
    key: str = "id"
    """The field that names an entry."""


KINDS = (
    KindOfFile("cause", "causes", listed=False),
    KindOfFile("symptom", "symptoms", listed=False),
    KindOfFile("fact", "facts", listed=True, key="name"),
    KindOfFile("limit", "limits", listed=True),
    KindOfFile("setting", "settings", listed=True),
    KindOfFile("check", "checks", listed=True),
    KindOfFile("fix", "fixes", listed=True),
    KindOfFile("phrase", "phrases", listed=True),
    KindOfFile("trial", "trials", listed=True),
    KindOfFile("signature", "signatures", listed=True),
    KindOfFile("metric", "metrics", listed=True),
    KindOfFile("log-format", "logs", listed=True),
    KindOfFile("frame", "frames", listed=True),
    KindOfFile("words", "words", listed=True),
    KindOfFile("idiom", "idioms", listed=True),
    KindOfFile("code-pattern", "code", listed=True),
    KindOfFile("dialect", "dialects", listed=False),
    KindOfFile("device", "devices", listed=True),
    KindOfFile("package", "packages", listed=True),
    KindOfFile("variable", "variables", listed=True, key="name"),
    KindOfFile("procedure", "procedures", listed=False),
    KindOfFile("checklist", "checklists", listed=False),
    KindOfFile("notice", "notices", listed=True),
    KindOfFile("experiment", "experiments", listed=True),
    KindOfFile("playbook-item", "playbook", listed=True),
    KindOfFile("report", "reports", listed=True, key="symptom"),
)
WEIGHTS = KindOfFile("weights", "", listed=False)
"""One file beside the folders."""


@dataclass(frozen=True)
class Document:
    """One file. Where its values stand is found out when something is to be said about one."""

    pack: Pack
    name: str
    """The path shown to a person."""
    path: Path
    text: str

    @cached_property
    def tree(self) -> Tree:
        """Its values, each with its place."""
        return read_tree(self.text)

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines."""
        return tuple(self.text.splitlines())

    def problem(
        self, path: TreePath, message: str, hint: str = "", *, on_key: bool = False, shift: int = 0
    ) -> Problem:
        """A mistake at a path in this file; `shift` characters into the value there."""
        tree = self.tree.at(path)
        line, column = (
            (tree.key_line, tree.key_column) if on_key and tree.key_line else (tree.line, tree.column)
        )
        if shift and tree.line == tree.end_line and not on_key:
            column += shift + (1 if tree.style in ("'", '"') else 0)
        return problem_at(self.name, self.lines, line, column, message, hint)


@dataclass(frozen=True, slots=True)
class Raw:
    """One entry as it stands in its file, not yet validated."""

    kind: str
    document: Document
    path: TreePath
    """Where in the document it is: empty, or its place in the list."""
    value: Any


UNREAD = object()
"""Stands for all that a file holds that could not be read."""


def problem_at(
    file: str, lines: tuple[str, ...], line: int, column: int, message: str, hint: str = ""
) -> Problem:
    """A mistake with the two lines either side of it."""
    first, last = max(1, line - 2), min(len(lines), line + 2)
    around = tuple((number, lines[number - 1]) for number in range(first, last + 1))
    return Problem(file, line, column, message, hint, around)


_OURS, _OF = 5, 12
"""Of so many files so many are read here: the models that are imported meanwhile take as long as a sixth of all."""


def read_pack(pack: Pack, meanwhile: Callable[[], object] = lambda: None) -> tuple[list[Raw], list[Problem]]:
    """All entries of a pack and what is wrong with its files. Nothing is raised for a broken file: it is one UNREAD entry.

    `meanwhile` is done here while a child reads.
    """
    files = [(kind, path) for kind in KINDS for path in _files(pack.root / kind.folder)]
    if (weights := pack.root / f"{WEIGHTS.name}.yaml").is_file():
        files.append((WEIGHTS, weights))
    entries: list[Raw] = []
    problems: list[Problem] = []
    theirs = beside(lambda: [(at, _read(files[at][1])) for at in range(len(files)) if at % _OF >= _OURS])
    meanwhile()
    ours = [(at, _read(files[at][1])) for at in range(len(files)) if at % _OF < _OURS]
    for at, (text, value, wrong) in sorted([*ours, *theirs()], key=itemgetter(0)):
        kind, path = files[at]
        document = Document(pack, f"{pack.name}/{path.relative_to(pack.root).as_posix()}", path, text)
        if wrong is None:
            entries.extend(_entries(kind, document, value, problems))
        else:
            problems.append(problem_at(document.name, document.lines, *wrong))
            entries.append(Raw(kind.name, document, (), UNREAD))
    return entries, problems


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.rglob("*.y*ml") if path.suffix in (".yaml", ".yml"))


def _read(path: Path) -> tuple[str, Any, tuple[int, int, str] | None]:
    """The text of a file, its value, and the line and column of what is wrong with it, and what that is."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return "", None, (1, 1, f"cannot be read: {error}")
    try:
        return text, read_value(text), None
    except YamlProblem as error:
        return text, None, (error.line, error.column, error.message)


def _entries(kind: KindOfFile, document: Document, value: Any, problems: list[Problem]) -> Iterator[Raw]:
    if kind.listed:
        if isinstance(value, list):
            yield from (Raw(kind.name, document, (index,), one) for index, one in enumerate(value))
        else:
            problems.append(
                document.problem((), f"a file in {kind.folder}/ holds a list of {kind.name} entries")
            )
            yield Raw(kind.name, document, (), UNREAD)
    elif isinstance(value, dict):
        if isinstance(name := value.get("id"), str) and name != document.path.stem:
            problems.append(
                document.problem(
                    ("id",),
                    f"the file is named `{document.path.stem}`, the id is `{name}`",
                    "make them the same",
                )
            )
        yield Raw(kind.name, document, (), value)
    else:
        problems.append(document.problem((), f"a file in {kind.folder}/ holds one {kind.name}"))
        yield Raw(kind.name, document, (), UNREAD)
