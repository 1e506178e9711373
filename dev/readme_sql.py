"""Runs the SQL of README.md: every ```sql block in order, in one session of an empty database.

A block followed by an ```output block must print exactly that (trailing spaces aside).
usage: readme_sql.py README.md PSQL [psql options]
"""

import re
import subprocess
import sys

BLOCK = re.compile(r"^```(sql|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def trimmed(text):
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip()


def main():
    readme, psql = sys.argv[1], sys.argv[2:]
    text = open(readme, encoding="utf-8").read()
    blocks = [(kind, body, text.count("\n", 0, start) + 1) for kind, body, start in
              ((m.group(1), m.group(2), m.start()) for m in BLOCK.finditer(text))]
    script, expected = [], {}
    for number, (kind, body, line) in enumerate(blocks):
        if kind == "sql":
            script.append(f"\\echo @@ {number}\n{body}\n")
        else:
            expected[number - 1] = (trimmed(body), line)
    result = subprocess.run([*psql, "-X", "-q", "-v", "ON_ERROR_STOP=1"], input="".join(script), text=True, capture_output=True)
    printed = {int(n): trimmed(out) for n, out in re.findall(r"^@@ (\d+)\n(.*?)(?=^@@ |\Z)", result.stdout, re.MULTILINE | re.DOTALL)}
    failed = 0
    if result.returncode != 0:
        last = max(printed, default=0)
        print(f"README.md:{blocks[last][2]}: the block fails:\n{result.stderr}", file=sys.stderr)
        failed += 1
    for number, (wanted, line) in expected.items():
        if printed.get(number) != wanted:
            print(f"README.md:{line}: prints\n{printed.get(number)}\ninstead of\n{wanted}", file=sys.stderr)
            failed += 1
    count = sum(kind == "sql" for kind, _, _ in blocks)
    print(f"   {count} blocks of SQL, {len(expected)} outputs compared", file=sys.stderr)
    sys.exit(1 if failed or not count else 0)


main()
