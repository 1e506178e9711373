"""Runs the programs of a page: each named block of the kinds asked for, in its order, in a process of its own. What it prints must
be the ```stdout block after it, if there is one. A program without a name is a fault: nothing would run it.

usage: page.py PAGE DIRECTORY KIND…     (programs are written into the directory; node finds its modules there)

A kind is a language, or pgbouncer for the programs whose name begins with that. PYTHON, NODE, JAVA and GO are the
commands that run them, and PGBOUNCER is where that is: a directory and a port.
"""

import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import threading

BLOCK = re.compile(r"^```(python|js|ts|java|go|prisma)(?: ([\w.]*))?\n(.*?)^```\n(?:\n```stdout\n(.*?)^```)?", re.MULTILINE | re.DOTALL)

COMMANDS = {
    ".py": "$PYTHON",
    ".mjs": "$NODE",
    ".java": "$JAVA",
    ".go": "$GO",
    ".prisma": "$NODE node_modules/prisma/build/index.js generate --schema",
}


def kind_of(language, name):
    return "pgbouncer" if name.startswith("pgbouncer") else language


def copy(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    finally:
        target.close()


def relay():
    """A port of this machine behind which the server is: the driver of Java knows no Unix sockets."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            client, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(os.path.join(os.environ["PGHOST"], ".s.PGSQL.5432"))
            for pair in [(client, server), (server, client)]:
                threading.Thread(target=copy, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def main():
    page, directory, *kinds = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    environment = dict(os.environ)
    if "java" in kinds:
        address = f"127.0.0.1:{relay()}/{environment['PGDATABASE']}?user={environment['PGUSER']}"
        environment["JDBC_URL"] = f"jdbc:postgresql://{address}"
    passed = failed = 0
    if "pgbouncer" in kinds:
        environment["PGHOST"], environment["PGPORT"] = os.environ["PGBOUNCER"].split()
    # It reads the schema and needs no engine, but would fetch one that changes databases.
    environment.update(PRISMA_SCHEMA_ENGINE_BINARY="/bin/true", CHECKPOINT_DISABLE="1")
    for language, name, program, expected in blocks:
        if not name:
            failed += 1
            print(f"{page}: a block of {language} has no name, so it is not run:\n{program}", file=sys.stderr)
            continue
        if kind_of(language, name) not in kinds:
            continue
        path = pathlib.Path(directory, name)
        if language == "go":
            # That of Debian, with the same methods.
            program = program.replace("jackc/pgx/v5", "jackc/pgx/v4")
        path.write_text(program, encoding="utf-8")
        command = os.path.expandvars(COMMANDS[path.suffix])
        # A second client of PgBouncer meets what the first one has prepared on the connection that they share.
        for _ in range(2 if kind_of(language, name) == "pgbouncer" else 1):
            done = subprocess.run(
                [*shlex.split(command), str(path)], capture_output=True, text=True, timeout=300, cwd=directory, env=environment
            )
            if done.returncode:
                break
        if done.returncode == 0 and (done.stdout == expected or not expected):
            passed += 1
        else:
            failed += 1
            print(f"{page}: {name} exits with {done.returncode} and prints\n{done.stdout}{done.stderr}instead of\n{expected}", file=sys.stderr)
    print(f"   {page}: {passed} programs of {', '.join(kinds)}", file=sys.stderr)
    sys.exit(1 if failed or not passed else 0)


main()
