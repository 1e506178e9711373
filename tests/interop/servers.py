"""Independently written servers on loopback, and a database that calls them."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

STARTS_WITHIN = 60


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A process on a loopback port; it can be stopped and started again on the same port."""

    def __init__(self, command, health, environment=None):
        self.port = free_port()
        self.command = [part.replace("{port}", str(self.port)) for part in command]
        self.health = health
        self.environment = {**os.environ, **(environment or {})}
        self.log = tempfile.TemporaryFile()
        self.start()

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}{path}"

    def start(self):
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT
        )
        wait_for(lambda: self.is_up(), f"{self.command[0]} to start", STARTS_WITHIN)

    def is_up(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise RuntimeError(f"{self.command} ended: {self.log.read().decode(errors='replace')[-2000:]}")
        try:
            with urllib.request.urlopen(self.url(self.health), timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, path, body=None, headers=None):
        """The JSON of an answer; an HTTP error is raised."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url(path), data, headers or {}, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)


class Failed(Exception):
    """A statement that failed, with its SQLSTATE."""

    def __init__(self, text):
        super().__init__(text)
        found = text.partition("ERROR:  ")[2]
        self.state, self.message = found[:5], found[7:].partition("\n")[0]
        self.text = text


class Database:
    def __init__(self, psql):
        self.psql = [*psql, "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose"]
        self.notices = ""

    def run(self, sql):
        """Runs SQL in a separate session; returns its output. Its notices and warnings are stored."""
        done = subprocess.run([*self.psql, "-c", sql], capture_output=True, text=True)
        if done.returncode:
            raise Failed(done.stderr)
        self.notices = done.stderr
        return done.stdout.rstrip("\n")

    def json(self, sql):
        return json.loads(self.run(f"SELECT coalesce(json_agg(q), '[]') FROM ({sql}) q"))

    def number(self, sql):
        return int(self.run(sql))


def wait_for(condition, what, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.1)


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def cosine(a, b):
    assert len(a) == len(b), f"{len(a)} and {len(b)} dimensions"
    dot = sum(x * y for x, y in zip(a, b))
    return dot / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5


class Report:
    """Counts passed and failed tests; a failed test does not prevent the next from running."""

    def __init__(self):
        self.passed = self.failed = 0

    def test(self, name, work):
        began = time.monotonic()
        try:
            seen = work()
            self.passed += 1
            verdict = "passed"
        except (AssertionError, Failed, OSError, RuntimeError) as error:
            self.failed += 1
            verdict, seen = "FAILED", f"{type(error).__name__}: {error}"
        print(f"{verdict}: {name}, {time.monotonic() - began:.1f} s{': ' + seen if seen else ''}", file=sys.stderr, flush=True)
