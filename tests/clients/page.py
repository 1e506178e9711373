"""Runs the programs of a page: each ```python NAME and ```js NAME block in its order, in a process of its own. What it prints must be the
```stdout block after it, if there is one. A block without a name is not run.

usage: page.py PAGE DIRECTORY PYTHON NODE     (programs are written into the directory; node finds its modules there)
"""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(python|js) ?([\w.]*)\n(.*?)^```\n(?:\n```stdout\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def main():
    page, directory, python, node = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    passed = failed = 0
    for language, name, program, expected in blocks:
        if not name:
            continue
        path = pathlib.Path(directory, name)
        path.write_text(program, encoding="utf-8")
        command = python if language == "python" else node
        done = subprocess.run([command, str(path)], capture_output=True, text=True, timeout=120, cwd=directory)
        if done.returncode == 0 and (done.stdout == expected or not expected):
            passed += 1
        else:
            failed += 1
            print(f"{page}: {name} exits with {done.returncode} and prints\n{done.stdout}{done.stderr}instead of\n{expected}", file=sys.stderr)
    print(f"   {page}: {passed} programs", file=sys.stderr)
    sys.exit(1 if failed or not passed else 0)


main()
