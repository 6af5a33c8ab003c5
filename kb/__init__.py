"""Knowledge, in YAML. No code lives here."""
