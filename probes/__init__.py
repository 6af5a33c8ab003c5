"""Whatever turns the outside into facts."""
