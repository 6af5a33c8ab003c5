"""A Python that has imported torch once, and forks a copy of itself for every script.

Run as a program it reads one JSON object a line: `arguments` as after `python`, `environment`, `folder`
and `output` (a file). It answers with the number of the process that runs the script, and when that has
ended with its status. Importing torch costs more than most of the scripts; the observer is attached in
the copy, before the script runs, by the same sitecustomize as in a Python that starts anew.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import sys
import types
from typing import Any, NoReturn


def serve() -> None:
    """Answer until standard input ends."""
    import torch
    import torch._dynamo  # The first optimizer imports it.
    import torch.distributed

    torch.set_num_threads(1)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        wanted = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(wanted)
        print(json.dumps({"pid": pid}), flush=True)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status)}), flush=True)


def _become(wanted: dict[str, Any]) -> NoReturn:
    """Be a Python that was started with these arguments, and end as it does."""
    atexit._clear()
    output = os.open(wanted["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, stream in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, stream)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["folder"])
    script = wanted["arguments"][0]
    sys.argv = wanted["arguments"]
    sys.orig_argv = [sys.executable, *sys.argv]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    status = _run(script)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _run(script: str) -> int:
    start = os.environ["PYTHONPATH"].split(os.pathsep)[0]
    runpy.run_path(os.path.join(start, "sitecustomize.py"))
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=script, __builtins__=__builtins__)
    sys.modules["__main__"] = main
    try:
        with open(script, encoding="utf-8") as file:
            exec(compile(file.read(), os.path.abspath(script), "exec"), main.__dict__)  # noqa: S102 - a Python runs it
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001 - as the interpreter does at its top
        error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None
        sys.audit("sys.excepthook", sys.excepthook, type(error), error, error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


if __name__ == "__main__":
    serve()
