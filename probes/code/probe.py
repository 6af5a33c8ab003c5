"""The code probe: what the scripts say, as `code.*` facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from traindx.engine.facts import Fact, Origin, Place, Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import CodePatternRule
from traindx.engine.probe import EXCERPT, Findings, InputSeen

from ..inputs import Input, Kind
from .module import Module
from .parsing import imports_of, is_python2, syntax_error
from .patterns import Verdict, judge
from .program import Program
from .ready import BadRule
from .source import Unreadable, read_source

MAX_FILES = 60
"""Scripts read together; those the person named come first."""
MAX_SECONDS = 10.0
"""Patterns that have not been looked for by then are left out, with a note."""


_FEW = 20
"""Scripts beyond which a directory is a repository: they are read where they could change the answer."""


@dataclass(frozen=True, slots=True)
class CodeProbe:
    """Reads Python scripts and notebooks without running them.

    Gives a fact for each code pattern, and what the script imports and how it names things.
    """

    inputs: Sequence[Input]
    knowledge: Knowledge

    @property
    def id(self) -> str:
        """`code`."""
        return "code"

    @property
    def gives(self) -> frozenset[str]:
        """Everything about the code, and what patterns establish beyond it."""
        patterns = self.knowledge.code_patterns.values() if self._scripts else ()
        others = {fact for one in patterns for fact in one.facts}
        return frozenset({"code.*", *others}) if self._scripts else frozenset()

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        return 0.05 * len(self._scripts)

    @property
    def asked_for(self) -> bool:
        """True where the person named a script, or a directory with a few."""
        return any(one.named for one in self._scripts) or 0 < len(self._scripts) <= _FEW

    @property
    def _scripts(self) -> list[Input]:
        return [one for one in self.inputs if one.kind is Kind.CODE]

    def run(self) -> Findings:
        """Read the scripts and look for every pattern."""
        findings = Findings()
        modules = list(self._read(findings))
        if not modules:
            findings.unknowable["code.*"] = (
                "no script could be read" if self._scripts else "no script was given"
            )
            return findings
        _add(findings, "code.read", True, [module.source.place(0) for module in modules])
        self._parsed(modules, findings)
        packages = imports_of(modules)
        _add(findings, "code.imports", tuple(packages), list(packages.values()))
        self._patterns(Program(modules), findings)
        return findings

    def _read(self, findings: Findings) -> Iterator[Module]:
        scripts = sorted(self._scripts, key=lambda one: not one.named)
        if len(scripts) > MAX_FILES:
            findings.notes.append(f"{len(scripts)} scripts; only the first {MAX_FILES} were read")
        for given in scripts[:MAX_FILES]:
            try:
                source = read_source(given)
            except Unreadable as error:
                findings.inputs.append(InputSeen(given.name, "code", note=str(error), bad=given.named))
                continue
            findings.inputs.append(InputSeen(given.name, "code", len(source.text)))
            findings.excerpts.append(source.text[:EXCERPT])
            if source.text.strip():
                yield Module(source, self.knowledge.idioms)

    def _parsed(self, modules: list[Module], findings: Findings) -> None:
        wrong = []
        for module in modules:
            if is_python2(module):
                findings.notes.append(f"{module.source.name}: Python 2")
            elif (error := syntax_error(module)) is not None:
                place, message = error
                findings.notes.append(f"{place}: does not parse: {message}")
                wrong.append(place)
        _add(findings, "code.syntax_error", bool(wrong), wrong)

    def _patterns(self, program: Program, findings: Findings) -> None:
        until = monotonic() + MAX_SECONDS
        for pattern in self.knowledge.code_patterns.values():
            if monotonic() > until:
                findings.notes.append(
                    f"the scripts took longer than {MAX_SECONDS:.0f} s; not every pattern was looked for"
                )
                break
            try:
                self._pattern(pattern, judge(program, pattern), findings)
            except BadRule as error:
                findings.notes.append(f"the pattern {pattern.id} cannot be used: {error}")

    def _pattern(self, pattern: CodePatternRule, verdict: Verdict, findings: Findings) -> None:
        if verdict.holds is None:
            return
        _add(findings, pattern.fact, verdict.holds, verdict.places)
        if verdict.holds:
            for fact, value in pattern.facts.items():
                _add(findings, fact, value, verdict.places)
            for name, fact in pattern.captures.items():
                if captured := verdict.captured.get(name):
                    self._captured(fact, captured, findings)

    def _captured(self, fact: str, captured: list[tuple[str, Place]], findings: Findings) -> None:
        """A list holds every text once, anything else the first."""
        first = dict(reversed(captured))
        if self.knowledge.fact_type(fact) == "list":
            _add(findings, fact, tuple(first), list(first.values()))
        else:
            text, place = captured[0]
            _add(findings, fact, text, [place])


def _add(findings: Findings, name: str, value: Scalar | tuple[str, ...], places: Sequence[Place]) -> None:
    findings.facts.append(Fact(name, value, Origin.CODE, tuple(places)))
