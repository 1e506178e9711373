"""Prints a page with the names and addresses of the environment between its marks, such as <!--issues-->…<!--/-->.

usage: project.py PAGE
"""

import os
import re
import sys

# The marks that each page has.
MARKS = {"README.md": {"issues"}, "SECURITY.md": {"advisory", "contact"}}


def value(name):
    return os.environ.get(name, "")


def texts():
    source, address = value("SOURCE_URL"), value("MAINTAINER_ADDRESS")
    issues = value("ISSUES_URL") or (source and source + "/issues")
    return {
        "issues": f"[issues]({issues})" if issues else "issues of this repository",
        "advisory": f"[the repository's page]({source})" if source else "the repository's page",
        "contact": f"write to <{address}>" if address else "open an issue without details that asks for a contact",
    }


def main(page):
    known, found = texts(), set()

    def fill(match):
        found.add(match[1])
        return f"<!--{match[1]}-->{known[match[1]]}<!--/-->"

    with open(page, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"<!--([a-z]+)-->.*?<!--/-->", fill, text, flags=re.S)
    if found != MARKS[os.path.basename(page)]:
        sys.exit(f"{page} has the marks {sorted(found)}, but not {sorted(MARKS[os.path.basename(page)])}")
    sys.stdout.write(text)


main(*sys.argv[1:])
