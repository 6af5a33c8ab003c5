"""Load the knowledge base: from the cache where nothing has changed, else from its files."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ... import __version__, templates
from ..regex import use_store
from . import cache
from .knowledge import Knowledge
from .lazily import Section
from .packs import Pack
from .sections import load_section

if TYPE_CHECKING:
    from .problems import Problem
    from .scope import Scope
    from .validate import Validated


Preparing: TypeAlias = Callable[[], AbstractContextManager[None]]
"""What surrounds compiling, which takes longer than a second."""


def load(packs: Sequence[Pack], preparing: Preparing = nullcontext) -> Knowledge:
    """The knowledge of these packs, the first being our own; a later one overrides by id.

    Where it has to be compiled, that happens inside `preparing()`. Raises KnowledgeError with every mistake in them.
    """
    roots = [*(pack.root for pack in packs), Path(__file__).parent, *map(Path, templates.__path__)]
    folder = cache.cache_folder()
    if folder:
        use_store(folder)
    state = cache.state_of(roots, __version__) if folder else None
    if folder and state and (core := cache.read_section(folder, state, "core")) is not None:
        return _from_cache(packs, folder, state, core)
    with preparing():
        texts = _texts(packs)
        if folder and state:
            cache.write_sections(folder, state, texts)
    sections = _read(texts)
    return Knowledge(sections.__getitem__, tuple(sections["core"]["packs"]["changes"]))


def _from_cache(packs: Sequence[Pack], folder: Path, state: cache.State, core: Section) -> Knowledge:
    read: dict[str, Section] = {"core": core}

    def section(wanted: str) -> Section:
        if wanted not in read:
            stored = cache.read_section(folder, state, wanted)
            if stored is None:
                read.update(compile_packs(packs))
            else:
                read[wanted] = stored
        return read[wanted]

    return Knowledge(section, tuple(core["packs"]["changes"]))


def compile_packs(packs: Sequence[Pack]) -> dict[str, Section]:
    """Read, validate and compile. Raises KnowledgeError with every mistake.

    Whether the patterns of a proven pack work is not asked again.
    """
    return _read(_texts(packs))


def read_packs(packs: Sequence[Pack]) -> Validated:
    """All entries as they stand in their files, each of the shape of its kind. Raises KnowledgeError with every mistake.

    Whether what one says of another is true is not asked.
    """
    from .problems import KnowledgeError

    problems: list[Problem] = []
    with _no_collections():
        valid = _valid(packs, problems)
    if problems:
        raise KnowledgeError(problems)
    return valid


def check_packs(packs: Sequence[Pack]) -> Scope:
    """All entries as they stand in their files, everything checked. Raises KnowledgeError with every mistake.

    A proven pack is proven anew only where it stands alone: beside another, that one is what is asked about.
    """
    return _compiled([pack._replace(proven=pack.proven and len(packs) > 1) for pack in packs])[1]


def _read(texts: Mapping[str, str]) -> dict[str, Section]:
    return {name: load_section(text) for name, text in texts.items()}


def _texts(packs: Sequence[Pack]) -> dict[str, str]:
    """Every section as text. What it was made from is let go before anything looks through it for garbage."""
    with _no_collections():
        return _compiled(packs)[0]


def _compiled(packs: Sequence[Pack]) -> tuple[dict[str, str], Scope]:
    """Every section as the text that the cache holds, so that a first run and a cached one cannot differ."""
    from .compiler import compile_all
    from .problems import KnowledgeError
    from .scope import Scope

    problems: list[Problem] = []
    with _no_collections():
        valid = _valid(packs, problems)
        scope = Scope(valid, problems, snippets=snippet_names())
        changes = [f"replaced: {one}" for one in valid.overrides]
        changes += [f"added: {one}" for one in valid.additions]
        texts = compile_all(scope, changes)
        if problems:
            raise KnowledgeError(problems)
        return texts, scope


def _valid(packs: Sequence[Pack], problems: list[Problem]) -> Validated:
    from .source import read_pack

    raw = []
    for pack in packs:
        entries, wrong = read_pack(pack, _import_models)
        raw.append(entries)
        problems.extend(wrong)
    from .validate import validate

    return validate(raw, problems)


def _import_models() -> None:
    from . import validate  # noqa: F401


@contextmanager
def _no_collections() -> Iterator[None]:
    """Hold the garbage collector: all that is read stays, and looking through it over and over takes a third of the time."""
    held = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if held:
            gc.enable()


def snippet_names() -> frozenset[str]:
    """The code snippets that fixes may name."""
    names = (path.name for root in templates.__path__ for path in Path(root, "snippets").glob("*.py.j2"))
    return frozenset(name.removesuffix(".py.j2") for name in names)
