"""The knowledge base: read from YAML, validated, compiled once, cached."""
