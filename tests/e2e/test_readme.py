"""What the README tells a newcomer to paste works as it stands there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from infra.load.serving import serving

README = Path(__file__).parents[2] / "README.md"


def blocks() -> list[str]:
    return re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


def test_the_two_commands_are_targets_of_the_makefile():
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    for line in blocks()[0].splitlines():
        target = line.split("#")[0].split()
        assert target[0] == "make"
        assert re.search(rf"^{target[1]}:", makefile, re.M), target[1]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_match_by_curl_goes_to_its_end():
    script = next(block for block in blocks() if "legal-actions" in block)
    with serving() as service:
        ready = script.replace("http://127.0.0.1:8000", service.url)
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", ready], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert "'ranks'" in run.stdout.splitlines()[-1]
