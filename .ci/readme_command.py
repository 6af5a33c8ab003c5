"""Print one of the README's commands: `tests` or `example`. What the README promises is what CI runs."""

import pathlib
import re
import sys

text = pathlib.Path(__file__).parent.parent.joinpath("README.md").read_text(encoding="utf-8")
found = re.search(rf"<!-- {sys.argv[1]} -->\s*```(?:sh|console)\n(.*?)```", text, re.DOTALL)
if found is None:
    sys.exit(f"README.md has no command marked {sys.argv[1]}")
print(found[1].strip())
