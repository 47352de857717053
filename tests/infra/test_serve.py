import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.infra.toys import Client, ask

COMMAND = [sys.executable, "-c", "from infra.cli.main import app; app()"]
ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1", "TERM": "dumb", "NO_COLOR": "1"}


@contextmanager
def serving(*arguments, commands=1):
    """Run `bluffhouse serve` on a free port until it has printed so many; give the process, its port and the text."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", *arguments],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        printed = process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)", printed)
        assert match, printed + process.stderr.read()
        while printed.count("curl") < commands:
            printed += process.stdout.readline()
        yield process, int(match[1]), printed
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_what_it_prints_until_it_is_told_to_stop(signum):
    with serving() as (process, port, printed):
        assert ask(port, "GET", "/_local/health").status == 200
        assert ask(port, "POST", "/_local/clock", body=b'{"advance": 1}').status == 404
        words = shlex.split(next(line for line in printed.splitlines() if "curl" in line))
        body, header = words[words.index("-d") + 1], words[words.index("-H") + 1]
        with Client(port) as client:
            path = next(word for word in words if word.startswith("http")).partition(str(port))[2]
            created = client.ask("POST", path, header, body=body.encode())
            assert (created.status, created.json["player"]["name"]) == (201, json.loads(body)["name"])
            process.send_signal(signum)
            _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")


def test_with_a_manual_clock_it_says_how_to_move_it():
    with serving("--manual-clock", commands=2) as (_, port, printed):
        words = shlex.split(next(line for line in printed.splitlines() if "/_local/clock" in line))
        moved = ask(port, "POST", "/_local/clock", body=words[words.index("-d") + 1].encode())
        assert (moved.status, set(moved.json)) == (200, {"now"})


@pytest.mark.parametrize("arguments", [[], ["--allow-loopback-webhooks"]])
def test_webhooks_lead_to_this_machine_only_when_it_is_told_so(arguments):
    with socket.create_server(("127.0.0.1", 0)) as target, serving(*arguments) as (_, port, _):
        url = f"http://127.0.0.1:{target.getsockname()[1]}/"
        with Client(port) as client:
            made = client.ask("POST", "/v1/players", "Content-Type: application/json", body=b'{"name": "ada"}').json
            headers = ("Content-Type: application/json", f"Authorization: Bearer {made['token']}")
            body = json.dumps({"url": url, "events": ["*"]}).encode()
            answer = client.ask("POST", "/v1/webhooks", *headers, body=body)
        if not arguments:
            assert answer.status == 422
            return
        assert answer.status == 201
        target.settimeout(60)
        connection, _ = target.accept()  # the challenge
        connection.close()


def test_a_taken_port_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"bluffhouse: port {port} is taken; choose another with --port\n"


def test_an_endpoint_that_does_not_answer_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    done = run("serve", "--port", "0", "--endpoint-url", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"bluffhouse: {url}: ")


@pytest.mark.parametrize("arguments", [["serve", "--port", "70000"], ["serve", "--nope"], ["nope"]])
def test_a_wrong_command_line_is_an_error_of_its_user(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_names_the_commands():
    assert "serve" in run("--help").stdout
    assert "--manual-clock" in run("serve", "--help").stdout
    assert "--allow-loopback-webhooks" in run("serve", "--help").stdout
