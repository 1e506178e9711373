"""A multilingual model on parallel judged sets: questions in each language over texts in each.

DIRECTORY has a set in BEIR's layout for each language (en, de, ru, zh), with the same ids in all of them, such as XQuAD.
Documents are indexed with the default chunking; of each document counts its best chunk.

usage: multilingual.py DIRECTORY --model MODEL [--throughput FILE] [--output DIRECTORY] -- PSQL [psql options]

Prints the share of questions whose first hit is right: keyword search, vector search, kb_hybrid_search and kb_search with
questions and texts in the same language, and vector search and kb_search for every pair of languages. Exits with 1 if
kb_search misses its bar; a speed that does is only reported. FILE is the table of the encoder's example "throughput".
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import judged
from bars import Bars
from database import Database

# Text search configuration and the least share of first hits of kb_search that are right.
LANGUAGES = {"en": ("english", 0.93), "de": ("german", 0.90), "ru": ("russian", 0.91), "zh": ("simple", 0.92)}
METHODS = {
    "keyword": ("kb_search", ", mode => 'keyword', max_per_document => 1"),
    "semantic": ("kb_search", ", mode => 'semantic', max_per_document => 1"),
    "kb_hybrid_search": ("kb_hybrid_search", ", max_per_document => 1"),
    "kb_search": ("kb_search", ", max_per_document => 1"),
}
ACROSS = ("semantic", "kb_search")
# On one core with AVX512-VNNI: milliseconds of a question, chunks of so many tokens a second.
SLOWEST_QUERY, MIN_CHUNKS, CHUNK_TOKENS = 4.0, 12.0, 200


class Evaluation:
    """Bases of one model, one for each language."""

    def __init__(self, directory, model, database):
        self.model, self.database = model, database
        self.sets = {language: judged.read_set(directory / language) for language in LANGUAGES}

    def name(self, language):
        return f"multilingual {language}"

    def index(self, language):
        began = time.monotonic()
        documents, _, _ = self.sets[language]
        self.database.index(self.name(language), documents, self.model, "auto", LANGUAGES[language][0])
        print(f"   {language}: {len(documents)} documents indexed in {time.monotonic() - began:.0f} s", file=sys.stderr)

    def first_hits(self, asked, searched, method):
        """The share of questions in one language whose first hit among the texts in another is right."""
        _, queries, _ = self.sets[asked]
        _, _, judgments = self.sets[searched]
        found = self.database.search(self.name(searched), queries, METHODS[method], 1)
        ranked = {qid: [docid for docid, _, _ in hits] for qid, hits in found.items()}
        return judged.mean(judged.first_hit, ranked, judgments)

    def measure(self):
        """The share by language of the questions, language of the texts and method."""
        wanted = [
            (asked, searched, method)
            for asked in LANGUAGES
            for searched in LANGUAGES
            for method in (METHODS if asked == searched else ACROSS)
        ]
        # Each search is a process of its own; two use both cores.
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self.index, LANGUAGES))
            return dict(zip(wanted, pool.map(lambda key: self.first_hits(*key), wanted)))

    def drop(self):
        for language in LANGUAGES:
            self.database.drop(self.name(language))


def table(title, header, rows):
    lines = ["", f"### {title}", "", "| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def tables(model, shares):
    """Within each language, and across them."""
    rows = [[language, *(f"{shares[language, language, method]:.3f}" for method in METHODS)] for language in LANGUAGES]
    yield table(f"{model}: first hits that are right, by language", ["language", *METHODS], rows)
    rows = [
        [asked, *(" / ".join(f"{shares[asked, searched, method]:.3f}" for method in ACROSS) for searched in LANGUAGES)]
        for asked in LANGUAGES
    ]
    header = ["questions", *(f"texts in {language}" for language in LANGUAGES)]
    yield table(f"{model}: questions over texts in other languages ({' / '.join(ACROSS)})", header, rows)


def check_speed(bars, text):
    """`text` is a Markdown table with the columns weights, kernel, milliseconds of a query, of a chunk, chunks a second."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "|" in line]
    tokens = int(re.search(r"chunk of (\d+) tokens", rows[0][3]).group(1))
    for row in rows:
        if row[:2] == ["int8", "avx512-vnni"]:
            query, chunks = float(row[2].split()[0]), float(row[4]) * tokens / CHUNK_TOKENS
            bars.add("query on one core", f"at most {SLOWEST_QUERY} ms", f"{query:.2f} ms", query <= SLOWEST_QUERY)
            what = f"chunks of {CHUNK_TOKENS} tokens a second and core, from those of {tokens}"
            bars.add(what, f"at least {MIN_CHUNKS}", f"{chunks:.1f}", chunks >= MIN_CHUNKS)


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--throughput", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    short = options.model.removeprefix("local/").replace("/", "-")
    bars = Bars(short)

    def output(file, text):
        if options.output:
            with open(options.output / file, "a", encoding="utf-8") as lines:
                lines.write(text + "\n")

    evaluation = Evaluation(options.directory, options.model, Database(sys.argv[split + 1 :]))
    try:
        shares = evaluation.measure()
        evaluation.drop()
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {error.stderr.strip()}")
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    for text in tables(short, shares):
        print(text, flush=True)
        output(f"9-{short}.md", text)
    for language, (_, least) in LANGUAGES.items():
        share = shares[language, language, "kb_search"]
        bars.add(f"first hits of kb_search, {language}", f"at least {least}", f"{share:.3f}", share >= least)
    speed = Bars(short)
    if options.throughput:
        check_speed(speed, options.throughput.read_text(encoding="utf-8"))
    for row in bars.rows + speed.rows:
        output("targets.md", row)
    if bars.missed:
        sys.exit("error: " + "; ".join(bars.missed))


if __name__ == "__main__":
    main()
