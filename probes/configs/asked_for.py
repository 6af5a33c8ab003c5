"""Which keys the scripts at hand are seen to read from their settings: `cfg.grad_clip`, `args["grad_clip"]`, `--grad_clip`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from traindx.engine.facts import Origin
from traindx.engine.regex import regex

from .combine import Read

_CHAIN = regex(
    r"""(?<!\w)[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+(?!\()|(?:\[|\.(?:get|pop)\()["'][A-Za-z_][\w-]*["'][\])]?)+"""
)
_LINK = regex(r"""\.(?:get|pop)\(|[A-Za-z_][\w-]*""")
_OPTION = regex(r"""["']--(?P<name>[A-Za-z][\w-]*)["']""")


def asked_for(reads: Sequence[Read]) -> frozenset[str]:
    """Names of keys, with underscores.

    A script holds its settings in something; what else is taken from there is a setting too. So a name counts where
    it is taken from what a key of the files is taken from as well, or is declared as an option.
    """
    texts = [read.document.text for read in reads if read.document.origin is Origin.CODE]
    if not texts:
        return frozenset()
    standing = {_plain(part) for read in reads for part in _keys(read)}
    taken: dict[str, set[str]] = {}
    names: set[str] = set()
    for text in texts:
        for chain in _CHAIN.finditer(text):
            links = [_plain(one) for one in _LINK.findall(chain[0]) if not one.startswith(".")]
            for holder, name in pairwise(links):
                taken.setdefault(holder, set()).add(name)
        names |= {_plain(found["name"]) for found in _OPTION.finditer(text)}
    # An object of its own may hold much besides its settings.
    return frozenset(
        names.union(*(one for holder, one in taken.items() if holder != "self" and one & standing))
    )


def _keys(read: Read) -> Iterator[str]:
    if read.document.origin is not Origin.CODE:
        yield from (str(part) for entry in read.document.reading.entries for part in entry.path)


def _plain(name: str) -> str:
    return name.replace("-", "_")
