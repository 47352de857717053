import re
import subprocess
import sys
import tomllib

import pytest

from infra.build import bundle, report
from infra.local.service import TEMPLATE

ROOT = TEMPLATE.parent
LOCK = bundle.LOCK.read_text()


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_holds_what_the_project_needs_at_run_time_and_only_with_hashes():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    pinned = {normal(name) for name in re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE)}
    assert {normal(re.match(r"[\w.-]+", line)[0]) for line in needed} <= pinned
    assert "boto3" not in pinned
    assert LOCK.count("==") == len(pinned)
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", LOCK.strip()))
    assert "://" not in LOCK


def test_the_bundle_is_built_for_what_the_template_runs_on():
    template = TEMPLATE.read_text()
    assert f"Runtime: python{bundle.PYTHON}" in template
    assert ("arm64" in template) == ("aarch64" in bundle.PLATFORM)


def test_of_the_service_models_only_those_in_use_stay(tmp_path):
    data = tmp_path / "botocore" / "data"
    for name in ("dynamodb", "ec2", "s3"):
        (data / name).mkdir(parents=True)
    (data / "endpoints.json").write_text("{}")
    (tmp_path / "bin").mkdir()
    bundle._trim(tmp_path)
    assert sorted(path.name for path in data.iterdir()) == ["dynamodb", "endpoints.json"]
    assert not (tmp_path / "bin").exists()


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Stand for the run-time wheels, which would have to be fetched."""
    folder = tmp_path / "wheels"
    (folder / "library").mkdir(parents=True)
    (folder / "library" / "__init__.py").write_text("X = 1\n")
    monkeypatch.setattr(bundle, "_wheels", lambda: folder)
    return folder


def test_a_bundle_holds_the_code_and_the_wheels_and_says_how_large_it_is(tmp_path, wheels, monkeypatch, capfd):
    monkeypatch.setattr(bundle, "PYTHON", f"{sys.version_info.major}.{sys.version_info.minor}")
    monkeypatch.setattr(bundle.shutil, "which", lambda name: sys.executable)
    target = tmp_path / "Function"
    bundle.main(target)
    assert sorted(path.name for path in target.iterdir()) == ["engine", "functions", "library"]
    assert (target / "engine" / "deal.py").exists()
    assert list((target / "functions").rglob("*.pyc"))
    assert "MB in Function" in capfd.readouterr().err


def test_compiled_files_are_used_whatever_the_times_of_the_sources(tmp_path, wheels, monkeypatch):
    monkeypatch.setattr(bundle, "PYTHON", f"{sys.version_info.major}.{sys.version_info.minor}")
    monkeypatch.setattr(bundle.shutil, "which", lambda name: sys.executable)
    target = tmp_path / "Function"
    bundle.main(target)
    (target / "library" / "__init__.py").write_text("X = 2\n")
    done = subprocess.run(
        [sys.executable, "-c", "import library; print(library.X)"],
        cwd=target,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"


@pytest.mark.parametrize("found", [None, "other"])
def test_without_the_right_python_it_ships_sources_only_and_says_so(tmp_path, wheels, monkeypatch, capfd, found):
    monkeypatch.setattr(bundle, "PYTHON", "3.99")
    monkeypatch.setattr(bundle.shutil, "which", lambda name: None if found is None else sys.executable)
    bundle.main(tmp_path / "Function")
    assert not list((tmp_path / "Function").rglob("*.pyc"))
    assert "no Python 3.99 found" in capfd.readouterr().err


def test_our_own_code_is_not_shipped_with_what_a_run_left_in_it(tmp_path, wheels, monkeypatch):
    monkeypatch.setattr(bundle.shutil, "which", lambda name: None)
    bundle.main(tmp_path / "Function")
    assert not list((tmp_path / "Function").rglob("__pycache__"))


def test_a_report_says_how_large_each_bundle_is_and_whether_it_is_compiled(tmp_path, capsys):
    for name, files in {"AFunction": ["a.py", "a.pyc"], "BFunction": ["b.py"]}.items():
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).write_bytes(b"x" * 1_000_000)
    (tmp_path / "template.yaml").write_text("")
    report.main(tmp_path)
    first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["AFunction", "2.0", "MB,", "0.0", "MB", "zipped,", "1", ".pyc"]
    assert second.startswith("BFunction")
    assert "no .pyc" in second
