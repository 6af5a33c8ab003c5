from __future__ import annotations

import pytest

from .conftest import Reads


@pytest.mark.parametrize(
    ("name", "text", "fact", "value"),
    [
        ("requirements.txt", "torch==2.2.2+cu121\n", "env.package.torch", "2.2.2+cu121"),
        ("requirements.txt", "torch==2.2.2+cu121\n", "env.cuda", "12.1"),
        ("requirements.txt", "Flash-Attn==2.5.0 ; python_version > '3.8'\n", "env.package.flash_attn", "2.5.0"),
        ("requirements.txt", "accelerate>=0.2\n", "env.package.accelerate", None),
        ("requirements.txt", "accelerate>=0.2\n-r other.txt\nnumpy\n", "env.packages", ("accelerate", "numpy")),
        ("environment.yml", "name: x\nchannels:\n  - pytorch\ndependencies:\n  - python=3.7\n  - pytorch=1.4.0\n", "env.package.torch", "1.4.0"),
        ("environment.yml", "channels:\n  - pytorch\ndependencies:\n  - python=3.7\n", "env.packages", ("python",)),
        ("environment.yml", "dependencies:\n  - python=3.7\n", "env.python", "3.7"),
        ("environment.yml", "dependencies:\n  - cudatoolkit=10.1\n", "env.cuda", "10.1"),
        ("environment.yml", "dependencies:\n  - pip:\n    - transformers==4.27.1\n", "env.package.transformers", "4.27.1"),
        ("conda-list.txt", "# packages in environment\npytorch 2.1.0 py3.10_cuda11.8_cudnn8.7.0_0 pytorch\n", "env.cuda", "11.8"),
        ("pip-freeze.txt", "Package    Version\n---------- -------\ntorch      2.0.1\n", "env.package.torch", "2.0.1"),
        ("pyproject.toml", '[project]\nname = "x"\ndependencies = [\n  "torch==2.1.0",\n]\n', "env.package.torch", "2.1.0"),
    ],
)  # fmt: skip
def test_lists_of_packages(read: Reads, name: str, text: str, fact: str, value: object) -> None:
    assert read({name: text})[fact] == value


def test_an_empty_list_is_said_to_be_one(read: Reads) -> None:
    assert read({"requirements.txt": "# nothing\n"}).findings.inputs[0].note == "lists no package"
