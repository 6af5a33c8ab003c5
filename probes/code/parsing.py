"""What the text of a script says before any pattern is looked for: imports, syntax errors, old Python."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.facts import Place

from .module import Module

_PYTHON2 = {"any": [{"kind": "print_statement"}, {"kind": "exec_statement"}]}
_IMPORTS = {"any": [{"kind": "import_statement"}, {"kind": "import_from_statement"}]}
_ERROR = {"kind": "ERROR"}
_MISSING = {"regex": "^$"}
"""What the tolerant parser puts in so that the rest can be read: a bracket, a body."""


def imports_of(modules: Sequence[Module]) -> dict[str, Place]:
    """The packages that the scripts import, each with the first place. Relative imports are not packages."""
    found: dict[str, Place] = {}
    for module in modules:
        for node in module.find(_IMPORTS):
            names = (
                [node.field("module_name")]
                if node.kind() == "import_from_statement"
                else node.field_children("name")
            )
            for name in names:
                named = name.field("name") if name and name.kind() == "aliased_import" else name
                if named and named.kind() == "dotted_name":
                    package = named.text().partition(".")[0]
                    found.setdefault(package, module.source.place(node.range().start.line))
    return found


def is_python2(module: Module) -> bool:
    """Whether a script is written for Python 2, whose syntax is no mistake."""
    return bool(module.find(_PYTHON2))


def syntax_error(module: Module) -> tuple[Place, str] | None:
    """Where a script does not parse, and what Python says; None where it does.

    The tolerant parser is asked first: Python itself compiles only what that one could not read.
    """
    if not module.find(_ERROR) and not module.find(_MISSING):
        return None
    import ast
    import warnings

    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(module.source.text)
    except SyntaxError as error:
        return module.source.place((error.lineno or 1) - 1), error.msg
    except (ValueError, RecursionError, MemoryError):
        return None
    return None
