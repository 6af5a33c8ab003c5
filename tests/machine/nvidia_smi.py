"""A machine whose nvidia-smi prints what a test wants."""

from __future__ import annotations

from pathlib import Path

from traindx.probes.machine.host import Host

from .conftest import HostMaker
from .test_commands import program

WITH_DRIVER = {"/dev/nvidia0": "", "/dev/nvidiactl": ""}
ROW = "0, GPU-aa, Tesla T4, 15360, 1024, 14336, 7, 535.104.05, 0, 7.5"


TABLE = "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2     |"


def with_smi(
    make_host: HostMaker, tmp_path: Path, rows: str, apps: str = "", code: int = 0, old: bool = False
) -> Host:
    """A machine whose nvidia-smi prints these rows. An old one refuses the field compute_cap."""
    refuse = 'Field "compute_cap" is not a valid field to query.'
    refusal = f"*compute_cap*) echo '{refuse}'; exit 2;;" if old else ""
    script = f"""case "$*" in
{refusal}
*--query-gpu*) printf '%s\\n' '{rows}'; exit {code};;
*--query-compute-apps*) printf '%s\\n' '{apps}';;
*) printf '%s\\n' '{TABLE}';;
esac"""
    program(tmp_path / "bin", "nvidia-smi", script)
    return make_host(WITH_DRIVER, {"PATH": str(tmp_path / "bin")})
