"""Package lists as facts: versions, Python, CUDA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.probe import InputSeen

from ..inputs import Input
from ..text import Unreadable
from .document import Document, Reading
from .exact import File, read_file
from .packages import Package, cuda_of, read_packages


def package_facts(inputs: Sequence[Input], seen: list[InputSeen]) -> list[Fact]:
    """What the lists of packages say. Every list is noted in `seen`."""
    facts: list[Fact] = []
    names: dict[str, Place] = {}
    for source in inputs:
        try:
            file = read_file(source)
        except Unreadable as reason:
            seen.append(InputSeen(source.name, "config", note=str(reason), bad=True))
            continue
        packages = list(read_packages(file.text))
        seen.append(InputSeen(source.name, "config", file.size, "" if packages else "lists no package"))
        for package, place in _placed(packages, file):
            names.setdefault(package.name, place)
            facts += _facts(package, place)
    if names:
        facts.append(Fact("env.packages", tuple(names), Origin.CONFIG, tuple(names.values())))
    return facts


def _placed(packages: Sequence[Package], file: File) -> Iterator[tuple[Package, Place]]:
    document = Document(file, "ini", Origin.CONFIG, file.text, Reading())
    for package in packages:
        yield package, document.place(package.at)


def _facts(package: Package, place: Place) -> Iterator[Fact]:
    """A version counts where it is the one installed: `>=` names only the lowest."""
    if package.exact and package.version:
        name = {"python": "env.python", "cuda": "env.cuda"}.get(package.name, f"env.package.{package.name}")
        yield Fact(name, package.version, Origin.CONFIG, (place,))
    if cuda := cuda_of(package):
        yield Fact("env.cuda", cuda, Origin.CONFIG, (place,))
