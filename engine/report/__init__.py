"""Renderings of a diagnosis, one module a format. None of them decides anything."""
