"""What mkdocs calls: it adds the pages of the knowledge base, and fills in what the written pages ask for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from generated import filled
from knowledge_pages import KnowledgePages

_KNOWLEDGE = KnowledgePages()


def on_config(config: Any) -> Any:
    """Put the pages of the knowledge base, and the measurements where there are any, into the navigation."""
    config.nav = [*config.nav[:3], *_KNOWLEDGE.navigation(), *config.nav[3:]]
    if (Path(config.docs_dir) / "accuracy.md").is_file():
        config.nav.append({"Accuracy": "accuracy.md"})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each cause, symptom and fix, and those of facts and checklists."""
    from mkdocs.structure.files import File

    for name, text in _KNOWLEDGE.written():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Run what a page says is run, and write what it says is generated."""
    if page.file.generated_by:
        return markdown
    return filled(markdown, Path(page.file.abs_src_path).parents[1])
