"""Plants the faults of tests/faults.tsv and runs the tests that must notice them. Called by dev/faults."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple, TextIO

LIST = Path("tests/faults.tsv")
# A test that hangs has noticed nothing.
MAX_SECONDS = 600
CRATES = ["cargo", "test", "--quiet", "--workspace", "--exclude", "kb_rag"]


class Fault(NamedTuple):
    number: int
    area: str
    file: Path
    old: str
    new: str
    command: str


class Failed(Exception):
    """What keeps a fault from being shown."""


def faults() -> list[Fault]:
    found = []
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 5:
                raise Failed(f"{LIST} has a line that is not five fields: {line}")
            area, file, old, new, command = fields
            found.append(Fault(len(found) + 1, area, Path(file), old, new, command))
    return found


def log_file() -> TextIO:
    return open(Path(os.environ["KB_RAG_BUILT"]).parent / "faults.log", "a")


def run(*command: str | Path, directory: Path | None = None) -> bool:
    """Runs a command in a session of its own, so that all its processes can be ended."""
    with log_file() as log:
        print("$", *command, file=log, flush=True)
        child = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            return child.wait(MAX_SECONDS) == 0
        except BaseException as error:
            # A compiler that is killed may leave half a file that the next one takes for a whole.
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failed(f"takes more than {MAX_SECONDS} s") from error
            raise


def must(*command: str) -> None:
    if not run(*command):
        raise Failed(f"{' '.join(command)}: failed, see faults.log beside the built library")


def program_of(test: str) -> str | None:
    """The test program of a command; None for one that is no test program."""
    kind, *words = test.split()
    return {"crates": words[0], "cluster": "cluster"}.get(kind) if words else None


class Tests:
    """What is built, and how the commands are run."""

    def __init__(self) -> None:
        # By the name of a test program: its executables, each with the directory that it runs in.
        self.executables: dict[str, list[tuple[Path, Path]]] = {}

    def build_program(self, name: str) -> None:
        which = [f"--{name}"] if name in ("lib", "bins") else ["--test", name]
        command = [*CRATES, *which, "--no-run", "--message-format=json"]
        with log_file() as log:
            print("$", *command, file=log, flush=True)
            built = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True)
        if built.returncode != 0:
            raise Failed(f"{name}: does not compile, see faults.log beside the built library")
        messages = [json.loads(line) for line in built.stdout.splitlines()]
        self.executables[name] = [
            (Path(message["executable"]), Path(message["manifest_path"]).parent)
            for message in messages
            if message.get("executable") and message["profile"]["test"]
        ]

    def build_library(self) -> None:
        must("cargo", "build", "--quiet", "--lib", "--no-default-features", "--features", os.environ["KB_RAG_FEATURES"])
        must("dev/cluster", "stop", "test")
        must("install", "-m", "0755", os.environ["KB_RAG_BUILT"], os.environ["KB_RAG_LIBRARY"])
        # Scripts require that it is not older than the library.
        must("touch", str(Path(os.environ["KB_RAG_LIBRARY"]).with_name("kb-rag-extract")))
        must("dev/cluster", "start", "test")

    def build_all(self, tests: set[str]) -> None:
        for name in sorted({program_of(test) for test in tests} - {None}):
            self.build_program(name)
        if not all(test.startswith("crates ") for test in tests):
            must("dev/cluster", "stop", "test")
            must("dev/install", "test")
            must("dev/cluster", "start", "test")

    def build_for(self, fault: Fault) -> None:
        """Builds again what a fault changes, and the test of the fault needs."""
        if fault.command.startswith("crates "):
            self.build_program(fault.command.split()[1])
        elif is_of_client(fault):
            self.build_client()
        elif not fault.command.startswith("clients "):
            self.build_library()

    def build_client(self) -> None:
        """Builds the program that the tests of the cluster call, with the features that it has beside them."""
        must("cargo", "build", "--quiet", "--workspace", "--exclude", "kb_rag", "--bins")

    def passes(self, test: str) -> bool:
        kind, *words = test.split()
        if name := program_of(test):
            return all(run(program, *words[-1:], directory=place) for program, place in self.executables[name])
        scripts = {
            "regress": ["dev/regress"],
            "manual": ["dev/readme"],
            "glue": ["dev/glue"],
            "attack": ["dev/attack", "smoke"],
            "clients": ["dev/clients"],
        }
        if kind not in scripts:
            raise Failed(f"unknown command: {test}")
        return run(*scripts[kind], *words)


def is_of_client(fault: Fault) -> bool:
    return fault.command.startswith("cluster ") and fault.file.is_relative_to("crates/client")


def place_of(fault: Fault, lines: list[str]) -> int:
    """The index of its line."""
    places = [place for place, line in enumerate(lines) if line.strip() == fault.old.strip()]
    if len(places) != 1:
        raise Failed(f"{fault.file} has {len(places)} lines as this one: {fault.old}")
    return places[0]


def check(every: list[Fault]) -> None:
    """Ends with an error unless each fault can be planted."""
    failures = 0
    for fault in every:
        try:
            if not fault.file.is_file():
                raise Failed(f"there is no {fault.file}")
            place_of(fault, fault.file.read_text().split("\n"))
        except Failed as error:
            failures += 1
            print(f"{LIST}: fault {fault.number}: {error}", file=sys.stderr)
    sys.exit(failures > 0)


def is_noticed(fault: Fault, tests: Tests) -> bool:
    before = fault.file.read_text()
    lines = before.split("\n")
    place = place_of(fault, lines)
    line = lines[place]
    lines[place] = line[: len(line) - len(line.lstrip())] + fault.new.strip()
    try:
        fault.file.write_text("\n".join(lines))
        tests.build_for(fault)
        return not tests.passes(fault.command)
    finally:
        fault.file.write_text(before)
        # The tests of other faults call the program too.
        if is_of_client(fault):
            tests.build_client()


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def show(chosen: list[Fault]) -> int:
    """Returns how many were noticed."""
    if subprocess.run(["git", "diff", "--quiet", "HEAD"]).returncode != 0:
        raise Failed("there are changes that are not committed")
    commands = {fault.command for fault in chosen}
    tests = Tests()
    tests.build_all(commands)
    if failing := [command for command in sorted(commands) if not tests.passes(command)]:
        raise Failed(f"fails without a fault: {'; '.join(failing)}")
    print("   without a fault, all tests pass", flush=True)
    noticed = 0
    for fault in chosen:
        began = time.monotonic()
        try:
            result = "red" if is_noticed(fault, tests) else "GREEN: not noticed"
        except Failed as error:
            result = f"not shown: {error}"
        noticed += result == "red"
        seconds = time.monotonic() - began
        print(f"   {fault.number:2} {fault.area}: {fault.command}: {result} ({seconds:.0f} s)", flush=True)
    return noticed


def main(wanted: list[str]) -> None:
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGHUP, interrupted)
    every = faults()
    if wanted == ["check"]:
        check(every)
    known = {name for fault in every for name in (fault.area, str(fault.number))}
    if unknown := [name for name in wanted if name not in known]:
        raise Failed(f"no area or number {', '.join(unknown)}; the areas are {', '.join(sorted({f.area for f in every}))}")
    chosen = [fault for fault in every if not wanted or {fault.area, str(fault.number)} & set(wanted)]
    noticed = show(chosen)
    print(f"{noticed} of {len(chosen)} noticed")
    if any(not fault.command.startswith("crates ") for fault in chosen):
        must("dev/cluster", "stop", "test")
        must("dev/install", "test")
    if noticed < len(chosen):
        sys.exit(1)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("interrupted: dev/install test builds the library without the fault")
