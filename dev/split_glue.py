"""Moves the SQL of src/glue.rs, which tests call, from the install script in a directory to a file of its own.

usage: python3 split_glue.py DIRECTORY FILE

pgrx writes each object between two comments, the first of which names its source. The library for tests has these functions;
the extension must not.
"""

import pathlib
import re
import sys

OBJECT = re.compile(r"/\* <begin connected objects> \*/\n.*?/\* </end connected objects> \*/\n", re.S)


def main():
    directory, file = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    (script,) = [p for p in directory.glob("kb_rag--*.sql") if p.stem.count("--") == 1]
    moved = []

    def sort_out(match):
        if "-- src/glue.rs" not in match[0]:
            return match[0]
        moved.append(match[0])
        return ""

    rest = OBJECT.sub(sort_out, script.read_text())
    if not moved or "glue" in rest:
        sys.exit(f"{script}: {len(moved)} objects of src/glue.rs, but others are left")
    script.write_text(rest)
    file.write_text("".join(moved).replace("'MODULE_PATHNAME'", "'$libdir/kb_rag'"))


main()
