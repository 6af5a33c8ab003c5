"""The person's own files as the fixes change them: shown, written beside, or written in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from traindx.engine.describe import fix_offered
from traindx.engine.diagnose import Reasoned
from traindx.engine.diagnosis import Diagnosis, FilePatch, FixOffered
from traindx.engine.facts import Origin
from traindx.engine.fixes import Offer
from traindx.engine.report.screen_fixes import FIXES, is_code_alone
from traindx.engine.report.snippets import with_code

from .changes import in_its_words, not_changed, says_more, trainer_of, with_options, without_secrets
from .choosing import CHANGES_RESULTS, DONE, ONLY_IF, RUN_AGAIN, Choice, undecided
from .errors import BadCall
from .session import Session

if TYPE_CHECKING:
    from traindx.probes.configs.dialect import Dialect
    from traindx.probes.configs.patch import Patch


class Patching:
    """The fixes of a diagnosis, spelled out in the files that were handed in.

    `chosen` and `all_of_them` decide which of them are taken, as `Choice` has it.
    """

    def __init__(
        self, session: Session, reasoned: Reasoned, *, chosen: Sequence[str] = (), all_of_them: bool = False
    ) -> None:
        self._session, self._reasoned = session, reasoned
        self._choice = Choice(session, reasoned, chosen=chosen, all_of_them=all_of_them)
        self._all = all_of_them

    def attached(self, *, to_taken: bool = False) -> Diagnosis:
        """The diagnosis with the change to the person's files at every fix, or only at those that are taken."""
        diagnosis = self._reasoned.diagnosis
        offers = {one.fix.id: one for one in self._reasoned.offers}
        fixes: list[FixOffered] = []
        shown = {fix.id for fix in diagnosis.fixes}
        # A person may name one of a cause that is hardly possible.
        named = (
            fix_offered(one, self._reasoned.gathered.facts)
            for one in self._choice.named
            if one.fix.id not in shown
        )
        for fix in (*diagnosis.fixes, *named):
            offer = offers[fix.id]
            spelled = not to_taken or self._is_looked_at(offer, fixes)
            if spelled:
                fix = self._with_patch(fix, offer)
            elif len(fixes) < FIXES:
                fix = in_its_words(fix, self._trainer)
            fixes.append(self._without_lacking(fix, offer))
        left_out = self._choice.together.left_out if self._choice.by_request else {}
        # Of a setting that the trainer has not, and no script to write into, nothing is left to do.
        kept = (
            fix
            for fix in fixes
            if fix.patch or says_more(fix) or not offers[fix.id].settings or self._scripts
        )
        diagnosis = diagnosis._replace(fixes=tuple(kept), left_out=left_out)
        # The screen shows the code of few.
        only = {one.id for one in diagnosis.fixes[:FIXES] if is_code_alone(one)} if to_taken else None
        return with_code(diagnosis, self._reasoned.gathered.facts, self._session.knowledge, only)

    def _is_looked_at(self, offer: Offer, before: Sequence[FixOffered]) -> bool:
        """Whether a fix is taken, or was looked at on the way to the first that is, or is shown beside it in the words of the file."""
        if offer.fix.id in self._choice.together.taken:
            return True
        if self._choice.by_request or (len(before) >= FIXES and any(one.patch for one in before)):
            return False
        return self._choice.for_likely(offer) and not undecided(offer)

    @cached_property
    def _scripts(self) -> bool:
        sources = self._session.configs.sources if self._session.configs else []
        return not any(one.trainer for one in sources) or any(
            one.document.origin is Origin.CODE for one in sources
        )

    def diff(self) -> str:
        """The change that was chosen, as a unified diff; says on standard error where there is none."""
        if not self._chosen.files:
            click.echo(self._why_nothing(), err=True)
        else:
            self._say_left_out()
        return "".join(map(without_secrets, self._chosen.files))

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
            click.echo(f"{one.path} written with {', '.join(self._choice.together.taken)}{backup}", err=True)
        self._say_left_out()

    def _say_left_out(self) -> None:
        for fix in self._before_it():
            click.echo(f"first comes {fix.id}, which changes no file: {fix.title}", err=True)
        for name, reason in self._choice.together.left_out.items():
            click.echo(f"left out {name}: {reason}", err=True)
        for told in not_changed(self._chosen):
            click.echo(f"not changed, and part of it: {told}", err=True)
        for offer in self._reasoned.offers:
            if offer.fix.id in self._choice.together.taken and offer.proviso:
                click.echo(f"{offer.fix.id}: {ONLY_IF}{offer.proviso}, which is not known", err=True)
        first = next(iter(self._reasoned.diagnosis.causes), None)
        taken = {
            cause
            for one in self._reasoned.offers
            if one.fix.id in self._choice.together.taken
            for cause in one.causes
        }
        if self._all and first is not None and first.id not in taken:
            click.echo(f"nothing of this mends {first.id}, the most likely cause", err=True)

    def _before_it(self) -> Iterator[FixOffered]:
        """The fixes of the same cause that come before what was made, and are for a person to do."""
        together = self._choice.together
        if self._choice.by_request or not together.taken:
            return
        made = next((one for one in self._reasoned.offers if one.fix.id in together.taken), None)
        causes = frozenset(made.causes if made else ())
        offered = {one.fix.id: one for one in self._reasoned.offers}
        for fix in self._reasoned.diagnosis.fixes:
            if fix.id in together.taken:
                return
            if fix.id not in together.left_out and not causes.isdisjoint(offered[fix.id].causes):
                yield fix

    def _why_nothing(self) -> str:
        if not self._choice.likely and not self._choice.named:
            return "no file is changed: no cause is likely enough; name a fix with --fix to try it"
        refused = "; ".join(f"{one.setting}: {one.reason}" for one in self._chosen.refused)
        if refused or not self._unsafe:
            return f"no file is changed: {refused or self._waiting or self._no_place}"
        names = ", ".join(f"--fix {name}" for name in self._unsafe)
        if len(self._unsafe) == 1:
            return f"no file is changed: one fix would, and it changes results; choose it with {names}"
        count = len(self._unsafe)
        return f"no file is changed: {count} fixes would, and all of them change results; choose with {names}"

    @property
    def _waiting(self) -> str:
        """The fixes that would change a file, and whose condition nothing decides, or that are made already."""
        reasons = self._choice.together.left_out.items()
        return "; ".join(
            f"{name}: {reason}" for name, reason in reasons if reason.startswith((DONE, ONLY_IF, RUN_AGAIN))
        )

    @property
    def _no_place(self) -> str:
        sources = self._session.configs.sources if self._session.configs else []
        if any(one.document.copied for one in sources):
            return "the run wrote the settings at hand and does not read them again; the report says what to change"
        return "no fix changes a setting in the files at hand"

    @property
    def _unsafe(self) -> list[str]:
        """The fixes that would change a file, and were left out because results would change with it."""
        return [name for name, reason in self._choice.together.left_out.items() if reason is CHANGES_RESULTS]

    @cached_property
    def _chosen(self) -> Patch:
        return self._choice.plan_together()

    def _without_lacking(self, fix: FixOffered, offer: Offer) -> FixOffered:
        """The fix without the settings that the trainer does not have, or that wait for a new run; where none is left, that is said."""
        from traindx.probes.configs.refusals import lacked

        sources = self._session.configs.sources if self._session.configs else []
        lacks = lacked(sources, [one.name for one in offer.settings])
        kept = tuple(
            one for one in fix.settings if one.name not in lacks and one.name not in self._choice.done
        )
        told = tuple(f"{name}: {reason}" for name, reason in lacks.items() if not kept and not fix.by_hand)
        return fix._replace(settings=kept, by_hand=(*fix.by_hand, *told))

    @cached_property
    def _trainer(self) -> Dialect | None:
        return trainer_of(self._reasoned.gathered.facts, self._session.knowledge)

    def _with_patch(self, fix: FixOffered, offer: Offer) -> FixOffered:
        if not offer.settings:
            return fix
        patch = self._choice.patch(offer)
        files = tuple(FilePatch(one.file.name, one.diff) for one in patch.files)
        refused = not_changed(patch, options=False)
        fix = with_options(fix, {one.setting: one.option for one in patch.refused if one.option})
        notes = tuple(f"{one.setting}: {one.note}" for one in patch.applied if one.note)
        fix = in_its_words(fix, self._trainer, {one.setting for one in patch.applied})
        return fix._replace(patch=files, by_hand=(*fix.by_hand, *refused, *notes))
