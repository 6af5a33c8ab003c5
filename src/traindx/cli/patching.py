"""The person's own files as the fixes change them: shown, written beside, or written in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from traindx.engine.diagnose import Reasoned
from traindx.engine.diagnosis import Diagnosis, FilePatch, FixOffered
from traindx.engine.facts import Scalar
from traindx.engine.fixes import Offer, Together, together
from traindx.engine.redact import safe

from .errors import BadCall
from .session import Session

if TYPE_CHECKING:
    from traindx.probes.configs.patch import FilePatch as FileChange
    from traindx.probes.configs.patch import Patch


class Patching:
    """The fixes of a diagnosis, spelled out in the files that were handed in.

    `chosen` are fixes a person named; without them the first that changes a file is taken, or with
    `all_of_them` every safe one that goes with those before it. Raises BadCall for a fix that is
    not offered.
    """

    def __init__(
        self, session: Session, reasoned: Reasoned, *, chosen: Sequence[str] = (), all_of_them: bool = False
    ) -> None:
        self._session, self._reasoned = session, reasoned
        self._patches: dict[str, Patch] = {}
        self._named = [self._offered(name) for name in dict.fromkeys(chosen)]
        self._all = all_of_them

    def attached(self, *, to_first: bool = False) -> Diagnosis:
        """The diagnosis with the change to the person's files at every fix, or at the first that changes any."""
        diagnosis = self._reasoned.diagnosis
        offers = {one.fix.id: one for one in self._reasoned.offers}
        fixes: list[FixOffered] = []
        for fix in diagnosis.fixes:
            done = to_first and any(one.patch for one in fixes)
            fixes.append(fix if done else self._with_patch(fix, offers[fix.id]))
        left_out = self._together.left_out if self._all or self._named else {}
        return diagnosis._replace(fixes=tuple(fixes), left_out=left_out)

    def diff(self) -> str:
        """The change that was chosen, as a unified diff; says on standard error where there is none."""
        if not self._chosen.files:
            click.echo(self._why_nothing(), err=True)
        return "".join(map(_without_secrets, self._chosen.files))

    def write(self, patched: Path | None) -> None:
        """Write the chosen change into the files, or into `patched`.

        Raises BadCall where a file cannot be written; it then is as it was.
        """
        from traindx.probes.configs.write import NotWritten, write_patched

        if not self._chosen.files:
            click.echo(self._why_nothing(), err=True)
            return
        try:
            written = write_patched(self._chosen, to=patched)
        except NotWritten as error:
            raise BadCall(f"nothing was written: {error}") from None
        for one in written:
            backup = f", the original is {one.backup.name}" if one.backup else ""
            click.echo(f"{one.path} written with {', '.join(self._together.taken)}{backup}", err=True)
        for name, reason in self._together.left_out.items():
            click.echo(f"left out {name}: {reason}", err=True)

    # -- which fixes

    def _offered(self, name: str) -> Offer:
        found = next((one for one in self._reasoned.offers if one.fix.id == name), None)
        if found is None:
            offered = ", ".join(one.fix.id for one in self._reasoned.offers) or "nothing"
            raise BadCall(f"the fix `{name}` is not offered here; offered is: {offered}")
        return found

    @cached_property
    def _together(self) -> Together:
        if self._named and not self._all:
            return together(self._named)
        if self._all:
            named = {one.fix.id for one in self._named}
            others = [one for one in self._reasoned.offers if one.fix.id not in named]
            unsafe = {one.fix.id: "it changes results; name it with --fix" for one in others if _unsafe(one)}
            taken = together(
                [*self._named, *(one for one in others if not _unsafe(one) and self._patch(one).files)]
            )
            return taken._replace(left_out={**taken.left_out, **unsafe})
        first = next((one for one in self._reasoned.offers if self._likely and self._patch(one).files), None)
        return together([first] if first else [])

    @property
    def _likely(self) -> bool:
        """Nothing is changed for a cause that is merely possible, unless a person says so."""
        return self._reasoned.diagnosis.outcome == "cause-found"

    def _why_nothing(self) -> str:
        if not self._likely and not self._named:
            return "no file is changed: no cause is likely enough; name a fix with --fix to try it"
        refused = "; ".join(f"{one.setting}: {one.reason}" for one in self._chosen.refused)
        return f"no file is changed: {refused or 'no fix changes a setting in the files at hand'}"

    # -- what they change

    @cached_property
    def _chosen(self) -> Patch:
        return self._plan({name: one.after for name, one in self._together.settings.items()})

    def _with_patch(self, fix: FixOffered, offer: Offer) -> FixOffered:
        if not offer.settings:
            return fix
        patch = self._patch(offer)
        files = tuple(FilePatch(one.file.name, one.diff) for one in patch.files)
        refused = tuple(
            f"{one.setting}: {one.reason}" + (f" ({one.by_hand})" if one.by_hand else "")
            for one in patch.refused
        )
        notes = tuple(f"{one.setting}: {one.note}" for one in patch.applied if one.note)
        return fix._replace(patch=files, by_hand=(*fix.by_hand, *refused, *notes))

    def _patch(self, offer: Offer) -> Patch:
        if offer.fix.id not in self._patches:
            self._patches[offer.fix.id] = self._plan({one.name: one.after for one in offer.settings})
        return self._patches[offer.fix.id]

    def _plan(self, changes: Mapping[str, Scalar]) -> Patch:
        from traindx.probes.configs.edit import plan_edits

        sources = self._session.configs.sources if self._session.configs else []
        return plan_edits(sources, changes, self._session.knowledge)


def _without_secrets(file: FileChange) -> str:
    """The diff with as much around each change as shows no secret: masked, it would not apply."""
    diffs = (file.diff_around(context) for context in (3, 2, 1, 0))
    shown = next((diff for diff in diffs if _is_safe(diff)), None)
    if shown is None:
        click.echo(
            f"{file.file.name}: secrets are masked below, so the patch does not apply; use --write", err=True
        )
    return shown or safe(file.diff)


def _is_safe(diff: str) -> bool:
    """Whether it can be shown as it is. A line that ends as on Windows must stay so, or the patch does not apply."""
    plain = diff.replace("\r\n", "\n")
    return safe(plain) == plain


def _unsafe(offer: Offer) -> bool:
    return offer.fix.safety == "unsafe"
