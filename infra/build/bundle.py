"""Builds what a function ships: our code, the run-time wheels of the target, compiled, trimmed.

`python infra/build/bundle.py DIR` fills DIR. The wheels of one lock are fetched once and kept in .aws-sam/wheels.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path(__file__).with_name("lambda.lock")
PACKAGES = ("engine", "functions")
PLATFORM = "manylinux2014_aarch64"
PYTHON = "3.13"

# Where pyenv's shims stand for the interpreters, they start the one that is named here.
ENVIRONMENT = {**os.environ, "PYENV_VERSION": PYTHON}

# Service models are 27 MB of botocore, and a table's calls need one of them. The files beside the models are read
# for every client: endpoints, partitions, retry rules, client defaults.
MODELS = ("dynamodb",)


def main(target: Path) -> None:
    """Fill `target`, an existing or new folder, with a function's bundle."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(_wheels(), target, dirs_exist_ok=True)
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, target / package, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    _compile(target)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    _say(f"bundle: {size / 1e6:.1f} MB in {target.name}")


def _wheels() -> Path:
    """Give the folder with the unpacked and trimmed wheels of the lock, after fetching them if need be."""
    digest = hashlib.sha256(LOCK.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:16]
    kept = ROOT / ".aws-sam" / "wheels"
    done = kept / digest
    if done.is_dir():
        return done
    kept.mkdir(parents=True, exist_ok=True)
    # Made elsewhere and moved: several functions may be built at once.
    with tempfile.TemporaryDirectory(dir=kept) as work:
        fresh = Path(work) / "wheels"
        _run(
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--no-compile", "--no-deps"),
            *("--require-hashes", "--only-binary=:all:", "--platform", PLATFORM, "--implementation", "cp"),
            *("--python-version", PYTHON, "--requirement", str(LOCK), "--target", str(fresh)),
        )
        _trim(fresh)
        try:
            fresh.rename(done)
        except OSError:
            if not done.is_dir():
                raise
    return done


def _trim(wheels: Path) -> None:
    """Remove what no function reads: the models of other services, and the wheels' command-line scripts."""
    for entry in (wheels / "botocore" / "data").iterdir():
        if entry.is_dir() and entry.name not in MODELS:
            shutil.rmtree(entry)
    shutil.rmtree(wheels / "bin", ignore_errors=True)


def _compile(target: Path) -> None:
    """Put .pyc files beside the sources, which halves a cold start; they must come from the target's own Python."""
    python = _target_python()
    if python is None:
        _say(f"bundle: no Python {PYTHON} found, so no .pyc files: cold starts will be slower")
        return
    # unchecked: Lambda unpacks the bundle with its own times, and nobody edits it there
    _run(python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(target))


def _target_python() -> str | None:
    """Find an interpreter of the target's version on the path, or give None."""
    candidate = shutil.which(f"python{PYTHON}")
    if candidate is None:
        return None
    # asked, because a version manager's shim is on the path even where its version is not installed
    asked = subprocess.run(  # noqa: S603
        (candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    return candidate if asked.stdout.strip() == PYTHON else None


def _run(*command: str) -> None:
    """Run a command; raise CalledProcessError when it fails."""
    subprocess.run(command, env=ENVIRONMENT, check=True)  # noqa: S603


def _say(line: str) -> None:
    """Tell the person who builds: on standard error, as standard output is SAM's."""
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
