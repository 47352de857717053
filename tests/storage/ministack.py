"""Runs a command with MiniStack's DynamoDB beside it: `python -m tests.storage.ministack MINISTACK COMMAND...`.

The command finds the endpoint in STORE_ENDPOINT. MiniStack ends with the command, and the exit code is the command's.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

HOST = "127.0.0.1"
START_S = 60
"""Seconds that it has to come up."""

_SETTINGS = {
    "BIND_HOST": HOST,  # it listens on all interfaces unless it is told not to
    "SERVICES": "dynamodb",
    "SFTP_ENABLED": "0",
    "IOT_MTLS_ENABLED": "0",
    "DOCKER_HOST": "unix:///nonexistent",  # it removes containers of its own kind when it starts and ends
    "LOG_LEVEL": "WARNING",
}


@contextmanager
def running(executable: str) -> Iterator[str]:
    """MiniStack on a free port of the loopback interface, for the length of a block; gives its URL.

    Raises `RuntimeError`, with what it wrote, when it does not come up.
    """
    port = _free_port()
    environment = {**os.environ, **_SETTINGS, "GATEWAY_PORT": str(port)}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([executable], env=environment, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait(process, port, output)
            yield f"http://{HOST}:{port}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


def _wait(process: "subprocess.Popen[bytes]", port: int, output: IO[str]) -> None:
    until = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/_ministack/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    output.seek(0)
    raise RuntimeError(f"MiniStack did not come up:\n{output.read()}")


def main(arguments: Sequence[str]) -> int:
    """Run the command; gives its exit code."""
    executable, *command = arguments
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that MiniStack ends with this process, too
    with running(str(Path(executable).absolute())) as url:
        return subprocess.run(command, env={**os.environ, "STORE_ENDPOINT": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
