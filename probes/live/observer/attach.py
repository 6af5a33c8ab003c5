"""Attaches the observer to this process: what sitecustomize calls before any code of the script runs.

Each process of the run, however it was started, keeps a journal of its own and says first what it is.
What it watches begins with the import of torch, and little of ours is loaded before: a run may start
hundreds of Pythons that never import it. See docs/live.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .exits import Exits
from .guard import guarded
from .journal import journal_in
from .last_words import last_words
from .options import folder, options
from .presence import presence
from .warned import Warned
from .when_imported import when_imported

if TYPE_CHECKING:
    from .hang import Hang
    from .watcher import Watcher


class Observer:
    """The observer of one process."""

    def __init__(self, folder: str, options: Mapping[str, Any]) -> None:
        self.folder = folder
        self.options = options
        self.journal = journal_in(folder)
        self.watcher: Watcher | None = None
        self.hang: Hang | None = None
        self.exits = Exits(self.journal, self.step, self.failed, self.ended)

    def attach(self) -> None:
        """Say what this process is, and watch it from now on."""
        journal = self.journal
        self.present(self._role())
        if journal.closed:
            return  # Nothing can be written: the run this process once belonged to is over, or the disk is full.
        self._words = last_words(self.folder)
        self.exits.listen()
        if hasattr(os, "register_at_fork"):
            # After `threading`, which exits.py imports, has registered its own: in a child it first forgets
            # the threads of the parent, and then we start one.
            os.register_at_fork(
                before=guarded(journal, "fork", self._before_fork),
                after_in_parent=guarded(journal, "fork", self._after_fork),
                after_in_child=guarded(journal, "fork", self._in_child),
            )
        if "seed" in self.options:
            from .changes.seeds import seed_everything

            guarded(journal, "seed", seed_everything)(int(self.options["seed"]))
        when_imported("warnings", guarded(journal, "warned", Warned(journal, self.step).listen))
        when_imported("multiprocessing.process", guarded(journal, "children", self._hear_children))
        when_imported("torch", guarded(journal, "torch", self.torch_arrived))

    def present(self, role: str) -> None:
        """Write the `process` record."""
        self.journal.record("process", **presence(role))

    def torch_arrived(self, torch: ModuleType) -> None:
        """The script has imported torch."""
        from .hang import AFTER, Hang
        from .tools import add_tools
        from .watcher import install

        version = getattr(torch, "version", None)
        self.journal.record("torch", torch=str(torch.__version__), cuda=getattr(version, "cuda", None))
        self._change(torch)
        self.watcher = install(torch, self.journal, self.options)
        after = self.options.get("hang_after", AFTER)
        self.hang = Hang(self.journal, float(after), self.step, self._words, self.watcher.beat)
        self.watcher.add(self.hang)
        self.hang.start()
        guarded(self.journal, "tools", add_tools)(self.watcher)

    def _change(self, torch: ModuleType) -> None:
        """What an experiment asks for; nothing in any other run."""
        if "seed" in self.options:
            torch.manual_seed(int(self.options["seed"]))
        if self.options.get("change"):
            from .changes import apply_changes

            apply_changes(torch, self.options["change"], self.journal)

    def step(self) -> int:
        """The rounds of the loop so far."""
        return self.watcher.step if self.watcher is not None else 0

    def failed(self, error: BaseException) -> None:
        """The script raised, and nobody caught it."""
        if self.watcher is not None:
            self.watcher.failed(error)

    def ended(self) -> None:
        """The process ends: the parts write what they still hold."""
        if self.watcher is not None:
            self.watcher.close()

    def _role(self) -> str:
        """`main`, or `child` where a process of the same run started this one."""
        parent = os.path.join(self.folder, f"{os.getppid()}.jsonl")
        return "child" if os.path.exists(parent) else "main"

    # -- forks

    def _before_fork(self) -> None:
        """A child has one thread only; it must not find the state of others that it does not have."""
        self._paused = self.hang is not None and self.hang.pause()

    def _after_fork(self) -> None:
        if self._paused and self.hang is not None:
            self.hang.start()

    def _in_child(self) -> None:
        from .children import forked_to_load_data

        worker = forked_to_load_data()
        self.journal.begin()
        self.exits.forget()
        self.present("worker" if worker else "child")
        if self._words is not None:
            self._words = last_words(self.folder, ours=self._words)
        if worker:
            self._rest()
        elif self.watcher is not None and self.hang is not None:
            self.watcher.forget(watch=True)
            self.hang = type(self.hang)(
                self.journal, self.hang.after, self.step, self._words, self.watcher.beat
            )
            self.watcher.add(self.hang)
            self.hang.start()

    # -- children of multiprocessing

    def _hear_children(self, process: ModuleType) -> None:
        from .children import hear_children

        journal = self.journal
        begun = guarded(journal, "child", self._child_begins)
        hear_children(process, begun=begun, raised=guarded(journal, "child", self.exits.uncaught))

    def _child_begins(self, child: Any) -> None:
        """A child that was not forked learns only here what it is for."""
        from .children import loads_data

        if loads_data(child) and not self.journal.closed:
            self.journal.record("role", role="worker")
            self._rest()

    def _rest(self) -> None:
        """A data worker is watched from the loop that it serves."""
        self.journal.closed = True
        if self.hang is not None:
            self.hang.pause()
        if self.watcher is not None:
            self.watcher.forget(watch=False)


def attach() -> None:
    """Attach the observer to this process, where the environment asks for it."""
    where = folder()
    if where is not None:
        Observer(where, options()).attach()
