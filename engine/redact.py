"""Secrets out of everything that is shown: keys, tokens, passwords, e-mail addresses, home directories.

And text from inputs kept in its place: no control characters reach a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from .regex import regex
from .wording import shorten

MASK = "<redacted>"
_SECRET_NAMES = (
    r"api[-_]?key|access[-_]?key(?:[-_]?id)?|secret[-_]?(?:access[-_]?)?(?:key)?|auth[-_]?token|access[-_]?token|"
    r"refresh[-_]?token|hf[-_]?token|hub[-_]?token|wandb[-_]?(?:api[-_]?)?key|token|passwd|password|passphrase|"
    r"(?:db|database|smtp|mail|mysql|postgres|pg|redis|ssh|ftp|root|admin|user)[-_]?pass|"
    r"pwd(?!['\"]?\s{0,3}[:=]\s{0,3}['\"]?/)|"
    r"private[-_]?key|credentials?|client[-_]?secret|bearer|authorization|cookie|session[-_]?id|account[-_]?key|"
    r"connection[-_]?string|webhook(?:[-_]?url)?|dsn"
)
_NAMED = regex(
    rf"(?i)(?P<name>(?:\b|_)(?:\w{{1,30}}[-_])?(?:{_SECRET_NAMES})\b(?:(?:\\?['\"])?\s{{0,3}}[:=]\s{{0,3}}|\\?['\"]\]\s{{0,3}}=\s{{0,3}}(?=\\?['\"]))"
    rf"|--(?:\w{{1,30}}[-_])?(?:{_SECRET_NAMES})\s{{1,3}})"
    r"(?:(?P<escaped>\\\")(?P<inner>[^\s\"\\,)](?:[^\"\\\n]|\\(?!\")){0,499})"
    r"|(?P<quote>\")(?P<double>(?:\\.|[^\s\"\\,)])(?:\\.|[^\"\\\n]){0,499})"
    r"|(?P<tick>')(?P<single>(?:\\.|[^\s'\\,)])(?:\\.|[^'\\\n]){0,499})"
    r"|(?P<value>(?:(?:bearer|basic|token)\s+)?[^\s'\",;)}\]]{3,}))"
)
"""`password: x`, `--hf_token=x`, `WANDB_API_KEY="x y"`, `Authorization: Bearer x`, `os.environ["HF_TOKEN"] = "x"`.

A quote before a blank or a comma closes a text, such as `print("token:", x)`.
"""
_HARMLESS = regex(
    r"(?i)^(?:true|false|none|null|yes|no|auto|.{0,3}|<[^>]{0,40}>|\[\w{0,20}\]?|\$\{?\w+\}?)\\?$"
)
"""Values that only look as if they were secret: `pad_token: [PAD]`, `use_auth_token=True`, `${HF_TOKEN}`."""
_ATTRIBUTE = regex(r"^(?:[A-Za-z_]\w{0,40}\.){1,4}(?:pad|eos|bos|unk|sep|cls|mask|image)_token(?:_id)?$")
"""`tokenizer.eos_token`: where a value stands, and not the value."""
_NUMBER = regex(r"^-?\d[\d.,_]{0,11}\\?$")
_PASSWORD = regex(r"(?i)pass|pwd|secret")
"""Names whose values may be numbers or short; a `token: 512` is a count."""
_SHAPES = regex(
    r"""\bhf_[A-Za-z0-9]{20,}
      | \bsk-(?:[A-Za-z0-9]+-)?[A-Za-z0-9_-]{20,}
      | \bgh[pousr]_[A-Za-z0-9]{30,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{20,}
      | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
      | \bAIza[\w-]{35} | \bya29\.[\w-]{20,}
      | \bxox[abprs]-[\w-]{10,}
      | \bnvapi-[\w-]{20,} | \bpypi-[\w-]{20,} | \bnpm_[A-Za-z0-9]{30,} | \br8_[A-Za-z0-9]{30,}
      | \bdckr_pat_[\w-]{20,} | \bSG\.[\w-]{15,}\.[\w-]{15,}
      | \beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}
      | (?<=hooks\.slack\.com/services/)[\w/-]{8,} | (?<=/api/webhooks/)[\w/-]{8,}
      | -----BEGIN\s[A-Z ]{0,30}PRIVATE\sKEY-----[^-]{0,8000}(?:-----END[A-Z ]{0,30}-----)?
    """,
    re.VERBOSE,
)
_HANDED_OVER = regex(
    r"""(?ix)
      (?P<name>
          \b(?:wandb|huggingface-cli|hf|comet|neptune)\s{1,3}(?:auth\s{1,3})?login\s{1,3}(?:--?[a-z-]{1,20}\s{1,3}){0,3}
        | \blogin\s?\(\s{0,3}(?:\w{1,20}\s?=\s?)?\\?['"]
        | \b(?:setdefault|putenv|setenv)\s?\(\s{0,3}\\?['"]\w{0,40}(?:key|token|secret|password)\\?['"]\s{0,3},\s{0,3}\\?['"]
        | (?:\b|_)key\\?['"]?\s{0,3}[:=]\s{0,3}\\?['"]?(?=[a-z0-9]{32})
      )(?=[\w.-]{0,200}\d)[\w.-]{20,200}
      | (?P<password>\bsshpass\s{1,3}-p\s{0,3}|\bmachine\s{1,3}\S{1,80}\s{1,3}login\s{1,3}\S{1,80}\s{1,3}password\s{1,3})\S{3,200}
    """
)
"""What is handed to a login without a name that tells: `wandb login 0123...`, `login("0123...")`, a `key` of 32 characters."""
_URL_LOGIN = regex(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{1,15}://)[^\s/:@'\"]{0,100}:(?!\d{1,5}(?:/|$))[^\s'\"<>]{1,200}@"
)
"""A password may hold `/` and `@`: it ends at the last `@`. `host:8080/x@y` is no login."""
_URL_QUERY = regex(
    r"(?i)(?P<name>[?&](?:sig|signature|x-amz-\w{1,30}|key|sv|se|token|access_token)=)[^\s&'\"]{4,}"
)
_MAIL = regex(r"\b[\w.+-]{1,64}@(?!\d)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,4}\b")
_HOME = regex(
    r"(?P<root>(?:/home|/Users|/data/home|/mnt/home|[A-Za-z]:[\\/]{1,2}Users)[\\/]{1,2})"
    r"(?P<name>[^\s/\\:'\",;)<>]{1,64}(?:[ ][A-Z][\w.-]{1,30}(?=[\\/]))?)"
)
_CONTROL = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)?|[@-Z\\-_])")
_LOST = "\N{REPLACEMENT CHARACTER}"
_LOOKED_AT = 8
"""So many times what is shown of a text is looked at for secrets, which may be long."""


def redact(text: str) -> str:
    """Mask what must not be shown. What is shown instead keeps the text readable."""
    low = text.lower()
    for signs, pattern, shown in _SECRETS:
        if any(map(low.__contains__, signs)):
            text = pattern.sub(shown, text)
    return text


def _masked(match: re.Match[str]) -> str:
    value = match["inner"] or match["double"] or match["single"] or match["value"]
    if not _PASSWORD.search(match["name"]) and (_HARMLESS.match(value) or _NUMBER.match(value)):
        return match[0]
    if match["value"] and not _PASSWORD.search(match["name"]) and _ATTRIBUTE.match(value):
        return match[0]
    if _HARMLESS.match(value) and len(value) > 3:
        return match[0]
    return f"{match['name']}{match['escaped'] or match['quote'] or match['tick'] or ''}{MASK}"


_SECRETS: tuple[tuple[tuple[str, ...], re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        (
            "hf_",
            "sk-",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "akia",
            "asia",
            "aiza",
            "ya29.",
            "xox",
            "nvapi-",
            "pypi-",
            "npm_",
            "r8_",
            "dckr_pat_",
            "sg.",
            "hooks.slack",
            "webhooks",
            "eyj",
            "-----begin",
        ),
        _SHAPES,
        MASK,
    ),
    (("://",), _URL_LOGIN, rf"\g<scheme>{MASK}@"),
    (("?", "&"), _URL_QUERY, rf"\g<name>{MASK}"),
    (
        (
            "key",
            "secret",
            "token",
            "pass",
            "pwd",
            "credential",
            "bearer",
            "authorization",
            "cookie",
            "session",
            "connection",
            "webhook",
            "dsn",
        ),
        _NAMED,
        _masked,
    ),
    (
        ("login", "setdefault", "putenv", "setenv", "sshpass", "key"),
        _HANDED_OVER,
        rf"\g<name>\g<password>{MASK}",
    ),
    (("@",), _MAIL, MASK),
    (("/home", "users"), _HOME, r"\g<root>~"),
)
"""Each with the texts, in lower case, of which it holds one: most lines hold none, and patterns take longer."""


def printable(text: str) -> str:
    """A text that cannot steer a terminal: escape sequences and other control characters are left out.

    Bidirectional overrides go too: they could make a line read as what it is not. What is no character of any
    encoding, such as a byte of a file name that is not UTF-8, is shown as U+FFFD.
    """
    if text.isprintable():
        return text
    return "".join(filter(None, map(_shown, _CONTROL.sub("", text))))


def _shown(one: str) -> str:
    if one in "\n\t":
        return one
    kind = unicodedata.category(one)
    return _LOST if kind == "Cs" else "" if kind in ("Cc", "Cf") else one


def safe(text: str) -> str:
    """Redacted and printable."""
    return redact(printable(text))


def excerpt(text: str, most: int) -> str:
    """At most so many characters of a text. Secrets are masked before it is cut: half a token has no shape to be known by."""
    return shorten(safe(text[: _LOOKED_AT * most]), most)
