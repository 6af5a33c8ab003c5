"""Secrets out of everything that is shown: keys, tokens, passwords, e-mail addresses, home directories.

And text from inputs kept in its place: no control characters reach a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from .regex import regex

MASK = "<redacted>"
_SECRET_NAMES = (
    r"api[-_]?key|access[-_]?key(?:[-_]?id)?|secret[-_]?(?:access[-_]?)?(?:key)?|auth[-_]?token|access[-_]?token|"
    r"refresh[-_]?token|hf[-_]?token|hub[-_]?token|wandb[-_]?(?:api[-_]?)?key|token|passwd|password|passphrase|"
    r"private[-_]?key|credentials?|client[-_]?secret|bearer|authorization|cookie|session[-_]?id|account[-_]?key|"
    r"connection[-_]?string|webhook(?:[-_]?url)?|dsn"
)
_NAMED = regex(
    rf"(?i)(?P<name>(?:\b|_)(?:\w{{1,30}}[-_])?(?:{_SECRET_NAMES})\b['\"]?\s{{0,3}}[:=]\s{{0,3}}"
    rf"|--(?:\w{{1,30}}[-_])?(?:{_SECRET_NAMES})\s{{1,3}})"
    r"(?P<quote>['\"]?)(?P<value>(?:bearer\s+|basic\s+)?[^\s'\",;)}\]]{4,})"
)
"""`password: x`, `--hf_token=x`, `WANDB_API_KEY=x`, `Authorization: Bearer x`."""
_HARMLESS = regex(r"(?i)^(?:true|false|none|null|yes|no|auto|-?\d[\d.,_]{0,11}|<[^>]{0,40}>|\$\{?\w+\}?)$")
"""Values that only look as if they were secret: `token: 512`, `use_auth_token=True`, `${HF_TOKEN}`."""
_SHAPES = regex(
    r"""\bhf_[A-Za-z0-9]{20,}
      | \bsk-(?:[A-Za-z0-9]+-)?[A-Za-z0-9_-]{20,}
      | \bgh[pousr]_[A-Za-z0-9]{30,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{20,}
      | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
      | \bAIza[\w-]{35} | \bya29\.[\w-]{20,}
      | \bxox[abprs]-[\w-]{10,}
      | \beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}
      | -----BEGIN\s[A-Z ]{0,30}PRIVATE\sKEY-----[^-]{0,8000}(?:-----END[A-Z ]{0,30}-----)?
    """,
    re.VERBOSE,
)
_URL_LOGIN = regex(r"(?P<scheme>\b[a-z][a-z0-9+.-]{1,15}://)[^\s/:@]{1,100}:[^\s/@]{1,200}@")
_URL_QUERY = regex(
    r"(?i)(?P<name>[?&](?:sig|signature|x-amz-\w{1,30}|key|sv|se|token|access_token)=)[^\s&'\"]{4,}"
)
_MAIL = regex(r"\b[\w.+-]{1,64}@(?!\d)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,4}\b")
_HOME = regex(
    r"(?P<root>(?:/home|/Users|/data/home|/mnt/home|[A-Za-z]:[\\/]Users)[\\/])(?P<name>[^\s/\\:'\",;)<>]{1,64})"
)
_CONTROL = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


def redact(text: str) -> str:
    """Mask what must not be shown. What is shown instead keeps the text readable."""
    low = text.lower()
    for signs, pattern, shown in _SECRETS:
        if any(map(low.__contains__, signs)):
            text = pattern.sub(shown, text)
    return text


def _masked(match: re.Match[str]) -> str:
    if _HARMLESS.match(match["value"]):
        return match[0]
    return f"{match['name']}{match['quote']}{MASK}"


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
            "passw",
            "passphrase",
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
    (("@",), _MAIL, MASK),
    (("/home", "users"), _HOME, r"\g<root>~"),
)
"""Each with the texts, in lower case, of which it holds one: most lines hold none, and patterns take longer."""


def printable(text: str) -> str:
    """A text that cannot steer a terminal: escape sequences gone, other control characters shown as a box.

    Bidirectional overrides go too: they could make a line read as what it is not.
    """
    if text.isprintable():
        return text
    text = _CONTROL.sub("", text)
    return "".join(
        one if one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cf") else "" for one in text
    )


def safe(text: str) -> str:
    """Redacted and printable."""
    return redact(printable(text))
