"""Runs the SQL of one page of the manual: every ```sql block in order, in one session of an empty database.

An ```output block after it must be exactly what it prints (trailing spaces aside), a ```notice or ```error block exactly the
messages of the server; what is not shown is not compared. A block may fail only where an ```error block follows.
usage: readme_sql.py PAGE PSQL [psql options]
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sql|output|notice|error)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def trimmed(text):
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip()


def read(page):
    """The SQL blocks of a page, as (line, SQL), and what is expected, as (number of the SQL block, kind, line, text)."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    statements, expected = [], []
    for match in BLOCK.finditer(text):
        kind, body, line = match.group(1), match.group(2), text.count("\n", 0, match.start()) + 1
        if kind == "sql":
            statements.append((line, body))
        else:
            expected.append((len(statements) - 1, kind, line, trimmed(body)))
    return statements, expected


def script(statements, expected):
    """What psql is to run: each block after a mark in both streams."""
    failing = {number for number, kind, _, _ in expected if kind == "error"}
    for number, (_, body) in enumerate(statements):
        stop = "off" if number in failing else "on"
        yield f"\\echo @@ {number}\n\\warn @@ {number}\n\\set ON_ERROR_STOP {stop}\n{body}\n"


def split(stream):
    """What a stream holds after each mark."""
    parts = re.findall(r"^@@ (\d+)\n(.*?)(?=^@@ |\Z)", stream, re.MULTILINE | re.DOTALL)
    return {int(number): trimmed(text) for number, text in parts}


def main():
    page, psql = sys.argv[1], sys.argv[2:]
    statements, expected = read(page)
    if not statements:
        sys.exit(f"{page}: no block of SQL")
    # Pages make files in the current directory, which the server reads too.
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        result = subprocess.run([*psql, "-X", "-q"], input="".join(script(statements, expected)), text=True,
                                capture_output=True, cwd=directory)
    printed, messages = split(result.stdout), split(result.stderr)
    faults = 0
    if result.returncode != 0:
        line = statements[max(printed)][0] if printed else 1
        print(f"{page}:{line}: the block fails:\n{messages.get(max(printed, default=0), result.stderr)}", file=sys.stderr)
        faults += 1
    for number, kind, line, wanted in expected:
        got = (printed if kind == "output" else messages).get(number)
        if got != wanted:
            print(f"{page}:{line}: prints\n{got}\ninstead of\n{wanted}", file=sys.stderr)
            faults += 1
    print(f"   {page}: {len(statements)} blocks of SQL, {len(expected)} outputs compared", file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
