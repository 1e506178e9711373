"""Writes a judged set in BEIR's layout from the manual: its pages, which are long, and manual.tsv, questions with the pages that
answer them. The questions were written from the pages, before any search.

usage: manual.py DIRECTORY
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    pages = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
    with open(directory / "corpus.jsonl", "w", encoding="utf-8") as corpus:
        for page in pages:
            text = (ROOT / page).read_text(encoding="utf-8")
            corpus.write(json.dumps({"id": page, "title": "", "text": text}) + "\n")
    with (
        open(directory / "queries.jsonl", "w", encoding="utf-8") as queries,
        open(directory / "qrels.tsv", "w", encoding="utf-8") as judgments,
    ):
        judgments.write("qid\tdocid\trel\n")
        lines = (HERE / "manual.tsv").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            question, answers = line.split("\t")
            queries.write(json.dumps({"id": str(number), "text": question}) + "\n")
            for page in answers.split(","):
                if page not in pages:
                    sys.exit(f"error: manual.tsv, line {number}: there is no page {page}")
                judgments.write(f"{number}\t{page}\t1\n")


main()
