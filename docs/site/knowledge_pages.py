"""The pages of the knowledge base: one a cause, symptom and fix, one a room of facts, one of all lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from cause_examples import Examples
from links import linked
from traindx.engine.checklists import guides, wanted
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.report.pages import cause_page, page

CHECKLISTS = "checklists.md"
_FOLDERS = {"causes": "Causes", "symptoms": "Symptoms", "fixes": "Fixes"}


class KnowledgePages:
    """What the site says of the knowledge base, read when it is first asked for."""

    @cached_property
    def knowledge(self) -> Knowledge:
        """The project's own knowledge, without packs that happen to be installed."""
        return load([own_pack()])

    @cached_property
    def examples(self) -> Examples:
        """The example of each cause."""
        return Examples(self.knowledge)

    def navigation(self) -> list[Any]:
        """The entries of the navigation."""
        knowledge = self.knowledge
        families = defaultdict(list)
        for name, cause in sorted(knowledge.causes.items()):
            families[cause.family].append({cause.title: f"causes/{name}.md"})
        causes = [{family.capitalize(): pages} for family, pages in sorted(families.items())]
        symptoms = [{one.title: f"symptoms/{name}.md"} for name, one in sorted(knowledge.symptoms.items())]
        return [
            {"Symptoms": ["symptoms/index.md", *symptoms]},
            {"Causes": ["causes/index.md", *causes]},
            {"Fixes": "fixes/index.md"},
            {"Facts": "facts/index.md"},
            {"Checklists": CHECKLISTS},
        ]

    def written(self) -> Iterator[tuple[str, str]]:
        """Every page: its path below docs/ and its Markdown, with links."""
        for path, text in self._plain():
            yield path, linked(text, path, self.places)

    @cached_property
    def places(self) -> dict[str, str]:
        """Where each id is told of."""
        knowledge = self.knowledge
        places = {name: f"facts/{_room(name)}.md#{name}" for name in self._facts}
        places |= {name: f"{CHECKLISTS}#{name}" for name in guides(knowledge)}
        for folder in reversed(_FOLDERS):
            places |= {name: f"{folder}/{name}.md" for name in getattr(knowledge, folder)}
        return places

    def _plain(self) -> Iterator[tuple[str, str]]:
        knowledge = self.knowledge
        for folder, title in _FOLDERS.items():
            entries = getattr(knowledge, folder)
            yield f"{folder}/index.md", _index(title, entries)
            for name in entries:
                text = (
                    cause_page(name, knowledge, self.examples.of(name))
                    if folder == "causes"
                    else page(name, knowledge)
                )
                yield f"{folder}/{name}.md", text
        yield from self._fact_pages()
        yield CHECKLISTS, "# Checklists and procedures\n\n" + "\n".join(self._guides())

    def _guides(self) -> Iterator[str]:
        yield "`diagnose checklist ID [PATH...]` ticks what a run directory tells."
        for name, (kind, guide) in guides(self.knowledge).items():
            yield f"\n## {guide.title} {{ #{name} }}\n\n`{name}` · {kind}\n"
            for number, step in enumerate(guide.steps, 1):
                minutes = f" ({step.minutes:g} min)" if step.minutes else ""
                yield f"{number}. {step.do}{minutes}{'  ' + step.tells if step.tells else ''}"

    @cached_property
    def _facts(self) -> list[str]:
        """The facts that some cause, symptom, fix or list asks for."""
        knowledge = self.knowledge
        rules = [line.rule for cause in knowledge.causes.values() for line in cause.evidence]
        rules += [line.rule for symptom in knowledge.symptoms.values() for line in symptom.detect]
        rules += [fix.when for fix in knowledge.fixes.values() if fix.when]
        asked = {name for rule in rules for name in rule.names}
        asked |= {name for _, guide in guides(knowledge).values() for name in wanted(guide)}
        return sorted(asked & knowledge.facts.keys())

    def _fact_pages(self) -> Iterator[tuple[str, str]]:
        rooms = defaultdict(list)
        for name in self._facts:
            rooms[_room(name)].append(name)
        listed = "\n".join(f"- [{room}]({room}.md): {len(names)} facts" for room, names in rooms.items())
        yield "facts/index.md", f"# Facts\n\nWhat rules ask for, by the first part of the name.\n\n{listed}\n"
        for room, names in rooms.items():
            parts = [f"# Facts: {room}\n", *(self._fact(name) for name in names)]
            yield f"facts/{room}.md", "\n".join(parts)

    def _fact(self, name: str) -> str:
        """The page of a fact as a part of a longer one."""
        text = page(name, self.knowledge)
        text = re.sub(r"^## (.*)$", r"**\1**", text, flags=re.MULTILINE)
        return text.replace(f"# {name}", f"## {name} {{ #{name} }}", 1)


def _room(fact: str) -> str:
    return fact.partition(".")[0]


def _index(title: str, entries: Any) -> str:
    lines = [f"- {one.title} (`{name}`)" for name, one in sorted(entries.items())]
    return "\n".join([f"# {title}", "", *lines, ""])
