"""Attaches the observer of traindx to this Python, then runs the sitecustomize that would have run without us.

Python imports this file at its start, because its folder stands first in PYTHONPATH. It says nothing,
changes nothing, and whatever goes wrong in here, the program runs as it would have. See docs/live.md.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _attach() -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    folder = os.path.join(os.path.dirname(_HERE), "observer")
    spec = spec_from_file_location(
        "traindx_observer", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        return
    package = module_from_spec(spec)
    sys.modules["traindx_observer"] = package
    spec.loader.exec_module(package)
    from traindx_observer.attach import attach  # type: ignore[import-not-found,unused-ignore]

    attach()


def _run_the_next() -> None:
    """Run the user's own sitecustomize in our place. What it raises, Python reports as it always does."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    sys.modules["sitecustomize"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)


# The environment keeps the folder for the processes that this one starts; `sys.path` is the program's own.
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _HERE]
if sys.version_info >= (3, 9) and os.environ.get("TRAINDX_RUN"):
    try:
        _attach()
    except Exception:  # noqa: BLE001 - nobody is there to tell, and the program must not notice
        sys.modules.pop("traindx_observer", None)
_run_the_next()
