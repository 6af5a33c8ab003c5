"""What is shown holds no secret and cannot leave its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.redact import excerpt, redact, safe
from traindx.engine.report.templating import escape, fence, inline_code

SECRETS = [
    ("wandb_api_key: abcdef1234567890", "abcdef1234567890"),
    ("--hf_token=hf_abcdefghijklmnopqrstuv", "abcdefghijkl"),
    ("--hub-token abcdefghijklmnop1234", "abcdefghijklmnop1234"),
    ("OPENAI_API_KEY=sk-abcdefghijklmnopqrstuvwx", "abcdefghijklmnop"),
    ("https://user:pw1234@host/x", "pw1234"),
    ("s3://b/x?X-Amz-Signature=0123456789abcdef", "0123456789abcdef"),
    ("mail bob@example.com now", "bob@"),
    ("/home/alice/train.py", "alice"),
    ("C:\\Users\\Bob\\x.py", "Bob"),
    ("password = 'hunter22'", "hunter22"),
    ('"aws_secret_access_key": "wJalrXUtnFEMI/K7MDENG"', "wJalrXUtnFEMI"),
    ("Authorization: Bearer abcdefghijk", "abcdefghijk"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "0123456789"),
    ("--password 'hunter4 secret'", "secret'"),
    ('--hub_token "abc def ghi"', "def"),
    ('export WANDB_API_KEY="hunter two three"', "three"),
    ('password: "my phrase"', "phrase"),
    ('{\\"token\\": \\"abcdefghij\\"}', "abcdefghij"),
    ("Authorization: Token abcdef123456", "abcdef123456"),
    ("https://user:p/w0rd@host/x", "w0rd"),
    ("https://:tok123456@host", "tok123456"),
    ("https://user:p@ss@host", "ss@"),
    ("https://hooks.slack.com/services/T0001/B0002/abcdef", "T0001"),
    ("https://discord.com/api/webhooks/123456/abcdef", "123456"),
    ("nvapi-abcdefghijklmnopqrstu", "abcdefghijklmnop"),
    ("DB_PASS=hunter2", "hunter2"),
    ("pwd: hunter2", "hunter2"),
    ("password=abc", "abc"),
    ("password: 12345678", "12345678"),
    ('password="ab\\"cdefgh"', "cdefgh"),
    ('"C:\\\\Users\\\\alice\\\\x.py"', "alice"),
    ('"/Users/Alice Smith/x"', "Smith"),
    ("os.environ['WANDB_API_KEY'] = '0123456789abcdef'", "0123456789"),
    ('os.environ[\\"MY_PASSWORD\\"] = \\"hunter2 two\\"', "hunter2"),
    ('os.environ.setdefault("WANDB_API_KEY", "0123456789abcdef01234567")', "0123456789"),
    ("wandb login --relogin 0123456789abcdef0123456789abcdef01234567", "0123456789"),
    ("wandb.login(key='0123456789abcdef0123456789abcdef01234567')", "0123456789"),
    ('login("0123456789abcdef0123456789abcdef")', "0123456789"),
    ('{"username": "joe", "key": "0123456789abcdef0123456789abcdef"}', "0123456789"),
    ("KAGGLE_KEY=0123456789abcdef0123456789abcdef", "0123456789"),
    ("sshpass -p hunter2 ssh host", "hunter2"),
    ("machine api.wandb.ai login user password 0123456789abcdef", "0123456789"),
]
HARMLESS = [
    "token: 512", "max_tokens: 4096", "pad_token: <pad>", "use_auth_token=True", "eos_token: </s>",
    "tokenizer: gpt2", "tokens per second: 1234.5", "token: ${HF_TOKEN}", "special tokens: 10, usage: 0.45",
    "loss=0.5 gpu@2", "tok.pad_token = tok.eos_token", "forward pass: 0.53 s", "pad_token: '[PAD]'", "PWD=/data/run", "http://node:8080/x?to=a@b",
    "next token: 'the'", "password: ${DB_PASSWORD}", "secret sauce of the model", "num_key_value_heads: 8", "key: value",
    'print("pad token:", tok.pad_token, "eos token:", tok.eos)', '"PWD": "/data/run"',
    "batch['token'] = tokens.to(device)", "table['pad_token'] = '[PAD]'", "login(user)", "wandb login", 'sort(key="val_loss")',
    "hf login --add-to-git-credential", 'login("https://api.wandb.ai/")', "missing key: transformer.layers.0.attention.self.query",
    'setdefault("sort_key", "val_loss")', "key = hidden_states_of_the_last_layer_of_the_model",
    'raise ValueError("bad token: " + str(x) + " in file")', "print('token:', token)",
]  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_secrets_are_masked(text: str, secret: str) -> None:
    assert secret not in redact(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_redacting_twice_changes_nothing_more(text: str, secret: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "text", ["\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\x08b", "\x9b31m", "ab\u202ecd", "a\x00b"]
)
def test_no_control_character_reaches_a_terminal(text: str) -> None:
    assert not any(ord(one) < 32 or one in "\x9b\u202e" for one in safe(text))


def test_a_title_that_never_ends_takes_no_line_after_it() -> None:
    assert safe("x # \x1b]0;t\nline two\n") == "x # \nline two\n"


def test_a_byte_of_no_encoding_is_shown_as_lost() -> None:
    assert safe("bad\udcff.log") == "bad\N{REPLACEMENT CHARACTER}.log"


@given(st.text())
def test_any_text_becomes_safe(text: str) -> None:
    assert "\x1b" not in safe(text)


@given(st.text(alphabet="`|*_[]()<>#\n\r @a~\\", max_size=40))
def test_text_cannot_leave_a_table_cell(text: str) -> None:
    for shown in (escape(text), inline_code(text)):
        assert "\n" not in shown
        assert "|" not in shown.replace("\\|", "")


@given(st.text(alphabet="`\na ~", max_size=40))
def test_text_cannot_close_its_fence(text: str) -> None:
    first, *body, last = fence(text).split("\n")
    assert last == first
    assert all(not line.strip().startswith(first) for line in body)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[x](javascript:1)", "@everyone", "# title", "http://evil"]
)
def test_markup_and_links_are_shown_and_not_acted_on(text: str) -> None:
    shown = escape(text).replace("\\<", "").replace("\\[", "").replace("\\]", "")
    assert not any(live in shown for live in ("<", "](", "@", "://"))
    assert not shown.startswith("#")


@pytest.mark.parametrize("before", range(150, 210, 7))
def test_no_part_of_a_secret_is_left_where_a_text_is_cut(before: int) -> None:
    text = (
        f"401 for https://hub.example/{'y' * before}/hf_QbCdEfGhIjKlMnOpQrStUvWxYz0123/john.doe@example.com"
    )
    shown = excerpt(text, 200)
    assert len(shown) <= 200
    assert "hf_" not in shown
    assert "john" not in shown
