"""Jinja templates: the incident report, pages, code snippets, skeletons."""
