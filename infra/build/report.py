"""Says how large the bundles are that `sam build` has made, which keeps what the recipes print to itself.

`python -m infra.build.report DIR` reads the build's folder.
"""

import io
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

# Lambda's quotas: 250 MB unpacked, 50 MB zipped in a direct upload.


class Bundle(NamedTuple):
    """What one function ships."""

    name: str
    unpacked: int
    zipped: int
    compiled: int
    """Number of .pyc files."""


def measure(folder: Path) -> Bundle:
    """Measure the bundle in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in files:
            out.write(path, path.relative_to(folder))
    return Bundle(
        folder.name,
        sum(path.stat().st_size for path in files),
        archive.tell(),
        sum(path.suffix == ".pyc" for path in files),
    )


def main(build: Path) -> None:
    """Print a line for each function's folder in a build."""
    for folder in sorted(path for path in build.iterdir() if path.is_dir()):
        bundle = measure(folder)
        compiled = f"{bundle.compiled} .pyc" if bundle.compiled else "no .pyc: cold starts are slower"
        sizes = f"{bundle.unpacked / 1e6:6.1f} MB, {bundle.zipped / 1e6:5.1f} MB zipped"
        sys.stdout.write(f"{bundle.name:18} {sizes}, {compiled}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
