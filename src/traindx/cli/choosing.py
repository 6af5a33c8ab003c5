"""Which of the fixes that are offered are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from traindx.engine.changes import Setting, follow_from
from traindx.engine.diagnose import Reasoned
from traindx.engine.facts import Scalar
from traindx.engine.fixes import Offer, Together, together

from .errors import BadCall
from .session import Session

if TYPE_CHECKING:
    from traindx.probes.configs.patch import Patch

CHANGES_RESULTS = "it changes results; name it with --fix"
ONLY_IF = "it is right only if "
DONE = "it was changed "
RUN_AGAIN = "it waits for a run with what was changed: "
_UNLIKELY = "its cause is not likely enough; name it with --fix"


class Choice:
    """The fixes that are taken, of those that are offered.

    `chosen` are fixes a person named; without them the first that changes a file is taken, or with
    `all_of_them` every safe one that goes with those before it, of the causes that are likely. Raises
    BadCall for a fix that is not offered.
    """

    def __init__(
        self, session: Session, reasoned: Reasoned, *, chosen: Sequence[str] = (), all_of_them: bool = False
    ) -> None:
        self._session, self._reasoned = session, reasoned
        self._patches: dict[str, Patch] = {}
        self.named = [self._offered(name) for name in dict.fromkeys(chosen)]
        self._all = all_of_them

    @property
    def by_request(self) -> bool:
        """A person named fixes, or asked for all."""
        return self._all or bool(self.named)

    def _offered(self, name: str) -> Offer:
        found = next((one for one in self._reasoned.offers if one.fix.id == name), None)
        if found is None:
            offered = ", ".join(one.fix.id for one in self._reasoned.offers) or "nothing"
            raise BadCall(f"the fix `{name}` is not offered here; offered is: {offered}")
        return found

    @cached_property
    def together(self) -> Together:
        """The fixes that are taken, with the settings they agree on, and why others are left out."""
        if self.named and not self._all:
            return together(self.named)
        if self._all:
            named = {one.fix.id for one in self.named}
            others = [one for one in self._reasoned.offers if one.fix.id not in named]
            changing = [one for one in others if self.patch(one).files]
            reasons = {one.fix.id: reason for one in changing if (reason := self._why_not(one))}
            taken = together([*self.named, *(one for one in changing if one.fix.id not in reasons)])
            # What one that is taken changes as well is not left out.
            waiting = {
                one.fix.id: reasons[one.fix.id]
                for one in changing
                if one.fix.id in reasons and not made_by(taken, one.settings)
            }
            return taken._replace(left_out={**taken.left_out, **waiting})
        return self._first()

    def _first(self) -> Together:
        """The first fix that changes a file; those passed over on the way wait for a person's word."""
        waiting: dict[str, str] = {}
        for one in self._reasoned.offers:
            if not self.for_likely(one):
                continue
            # One change at a time: what the first did is not known before the run has gone on with it.
            if made := next(
                (self.done[change.name] for change in one.settings if change.name in self.done), ""
            ):
                return Together(left_out={**waiting, one.fix.id: made})
            if not self.patch(one).files:
                continue
            if self.done:
                setting, how = next(iter(sorted(self.done.items())))
                return Together(
                    left_out={**waiting, one.fix.id: f"{RUN_AGAIN}{setting} {how.removeprefix('it ')}"}
                )
            if not (reason := undecided(one)):
                return together([one])._replace(left_out=waiting)
            waiting[one.fix.id] = reason
        return Together(left_out=waiting)

    @property
    def likely(self) -> bool:
        """Nothing is changed for a cause that is merely possible, unless a person says so."""
        return self._reasoned.diagnosis.outcome == "cause-found"

    @cached_property
    def _likely_causes(self) -> frozenset[str]:
        causes = self._reasoned.diagnosis.causes if self.likely else ()
        return frozenset(one.id for one in causes if one.verdict in ("confirmed", "likely"))

    def for_likely(self, offer: Offer) -> bool:
        """Whether a fix answers a cause that is likely."""
        return not self._likely_causes.isdisjoint(offer.causes)

    def _why_not(self, offer: Offer) -> str:
        """Why a fix is not taken where all are asked for; empty where it is."""
        if not self.for_likely(offer):
            return _UNLIKELY
        return undecided(offer) or (CHANGES_RESULTS if _unsafe(offer) else "")

    def patch(self, offer: Offer) -> Patch:
        """What a fix changes in the files at hand."""
        if offer.fix.id not in self._patches:
            self._patches[offer.fix.id] = self.plan({one.name: one.after for one in offer.settings}, [offer])
        return self._patches[offer.fix.id]

    def plan_together(self) -> Patch:
        """What all the fixes that are taken change."""
        taken = [one for one in self._reasoned.offers if one.fix.id in self.together.taken]
        return self.plan({name: one.after for name, one in self.together.settings.items()}, taken)

    def plan(self, changes: Mapping[str, Scalar], offers: Sequence[Offer]) -> Patch:
        """The same for settings of some fixes, with the values they are to have."""
        from traindx.probes.configs.contradicting import plan_agreeing
        from traindx.probes.configs.patch import Refused

        sources = self._session.configs.sources if self._session.configs else []
        new = {name: value for name, value in changes.items() if name not in self.done}
        follows = {name: others for one in offers for name, others in follow_from(one.fix).items()}
        patch = plan_agreeing(sources, new, self._session.knowledge, follows)
        refused = (Refused(name, self.done[name]) for name in changes if name in self.done)
        return patch._replace(refused=(*patch.refused, *refused))

    @property
    def done(self) -> Mapping[str, str]:
        """The settings that were changed since the log was written, each with that in words."""
        return self._session.configs.since if self._session.configs else {}


def made_by(taken: Together, settings: Sequence[Setting]) -> bool:
    """Whether the fixes that are taken change all these settings to the same values."""
    return all(one.name in taken.settings and taken.settings[one.name].after == one.after for one in settings)


def _unsafe(offer: Offer) -> bool:
    return offer.fix.safety == "unsafe"


def undecided(offer: Offer) -> str:
    """Why a fix waits for a person's word: nothing tells whether what it mends is so here."""
    waits = offer.proviso and offer.fix.when_unknown != "keep"
    return f"{ONLY_IF}{offer.proviso}, which is not known; name it with --fix" if waits else ""
