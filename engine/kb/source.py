"""The files of a knowledge base: which kinds there are, where they lie, what each entry looks like raw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

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
)
WEIGHTS = "weights.yaml"


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


def problem_at(
    file: str, lines: tuple[str, ...], line: int, column: int, message: str, hint: str = ""
) -> Problem:
    """A mistake with the two lines either side of it."""
    first, last = max(1, line - 2), min(len(lines), line + 2)
    around = tuple((number, lines[number - 1]) for number in range(first, last + 1))
    return Problem(file, line, column, message, hint, around)


def read_pack(pack: Pack) -> tuple[list[Raw], list[Problem]]:
    """All entries of a pack and what is wrong with its files. Nothing is raised for a broken file."""
    entries: list[Raw] = []
    problems: list[Problem] = []
    for kind in KINDS:
        for path in _files(pack.root / kind.folder):
            if (read := _read(pack, path, problems)) is not None:
                entries.extend(_entries(kind, *read, problems))
    weights = pack.root / WEIGHTS
    if weights.is_file() and (read := _read(pack, weights, problems)) is not None:
        document, value = read
        entries.append(Raw("weights", document, (), value))
    return entries, problems


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.rglob("*.y*ml") if path.suffix in (".yaml", ".yml"))


def _read(pack: Pack, path: Path, problems: list[Problem]) -> tuple[Document, Any] | None:
    name = f"{pack.name}/{path.relative_to(pack.root).as_posix()}"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem(name, 1, 1, f"cannot be read: {error}"))
        return None
    document = Document(pack, name, path, text)
    try:
        return document, read_value(text)
    except YamlProblem as error:
        problems.append(problem_at(name, document.lines, error.line, error.column, error.message))
        return None


def _entries(kind: KindOfFile, document: Document, value: Any, problems: list[Problem]) -> Iterator[Raw]:
    if kind.listed:
        if isinstance(value, list):
            yield from (Raw(kind.name, document, (index,), one) for index, one in enumerate(value))
        else:
            problems.append(
                document.problem((), f"a file in {kind.folder}/ holds a list of {kind.name} entries")
            )
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
