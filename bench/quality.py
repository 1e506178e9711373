"""Retrieval quality of kb_rag on a judged set in BEIR's layout, measured through its SQL functions.

A set is a directory with corpus.jsonl {id|_id, title, text}, queries.jsonl {id|_id, text} and qrels.tsv
(qid, docid, rel; with a header). Documents are indexed whole (chunk_strategy 'none'), so each chunk is a document.

usage: quality.py DIRECTORY [--queries N --documents N] [--model MODEL] [--floor METHOD=NDCG …] [--chunked] [--sweep]
                  [--output DIRECTORY] -- PSQL [psql options]

Prints a table: nDCG@10 and MRR@10 of searches for 10 results, recall@100 and nDCG@10 of searches for 100, which make the
arms of hybrid search deeper. Exits with 1 if nDCG@10 of a method is below its floor. Methods: bm25, ts_rank and
ts_rank_cd (keyword arm alone), semantic, rrf and relative (hybrid search by fusion).

With --queries, only the first N judged queries run, and the corpus consists of their judged documents, filled up with
others to --documents. --chunked adds rows for the default chunking, where a document's rank is that of its best chunk.
--sweep adds the fusion of both arms with every rrf_k, and by relative score, at several depths. --output appends tables
and verdicts to Markdown files in a directory.
"""

import argparse
import pathlib
import subprocess
import sys
import time

import fusion
import judged

# Arguments of kb_search besides query, base and number of results.
METHODS = {
    "bm25": "mode => 'keyword', ranker => 'bm25'",
    "ts_rank": "mode => 'keyword', ranker => 'ts_rank'",
    "ts_rank_cd": "mode => 'keyword', ranker => 'ts_rank_cd'",
    "semantic": "mode => 'semantic'",
    "rrf": "mode => 'hybrid', fusion => 'rrf'",
    "relative": "mode => 'hybrid', fusion => 'relative'",
}
HEADER = ["method", "nDCG@10", "MRR@10", "recall@100", "nDCG@10 of 100"]


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class Database:
    def __init__(self, psql):
        self.psql = psql

    def run(self, sql):
        """Runs SQL in psql; returns its output."""
        command = [*self.psql, "-qAt", "-F", "\t"]
        return subprocess.run(command, input=sql, text=True, capture_output=True, check=True).stdout

    def index(self, name, documents, model, strategy):
        """Creates the base and fills it in one statement."""
        rows = ",\n".join(
            f"({literal(title)}, {literal(text)}, {literal(docid)})" for docid, (title, text) in documents.items()
        )
        self.run(
            "SET client_min_messages = warning;\n"
            f"SELECT kb_drop(name) FROM kb_list() WHERE name = {literal(name)};\n"
            f"SELECT kb_create({literal(name)}, model => {literal(model)}, chunk_strategy => {literal(strategy)}, "
            "text_config => 'english') AS id \\gset\n"
            "SELECT schema FROM kb_list() WHERE id = :'id' \\gset\n"
            f"INSERT INTO :\"schema\".document (title, content, source_key) VALUES\n{rows};\n"
        )

    def drop(self, name):
        self.run(f"SELECT kb_drop({literal(name)});\n")

    def search(self, name, queries, arguments, count):
        """Runs all queries; returns [(document, score, chunk)], best first, by query."""
        rows = ",\n".join(f"({literal(qid)}, {literal(text)})" for qid, text in queries.items())
        answer = self.run(
            f"SELECT q.id, r.source, r.score, r.chunk_id FROM (VALUES {rows}) AS q (id, text), LATERAL (\n"
            "SELECT source, score, chunk_id, row_number() OVER () AS rank\n"
            f"FROM kb_search(q.text, {literal(name)}, match_count => {count}, {arguments})) r ORDER BY q.id, r.rank;\n"
        )
        found = {qid: [] for qid in queries}
        for line in answer.splitlines():
            qid, docid, score, chunk = line.split("\t")
            found[qid].append((docid, float(score), chunk))
        return found


def ids(found):
    return {qid: [docid for docid, _, _ in ranked] for qid, ranked in found.items()}


def measure(database, name, queries, judgments, methods, extra=""):
    """Rows of the table, and nDCG@10 by method."""
    rows, scores = [], {}
    for method in methods:
        few, many = (ids(database.search(name, queries, METHODS[method] + extra, count)) for count in (10, 100))
        figures = [
            judged.mean(judged.ndcg, few, judgments),
            judged.mean(judged.reciprocal_rank, few, judgments),
            judged.mean(judged.recall, many, judgments),
            judged.mean(judged.ndcg, many, judgments),
        ]
        scores[method] = figures[0]
        rows.append([method, *(f"{figure:.4f}" for figure in figures)])
    return rows, scores


def table(title, header, rows):
    lines = ["", f"### {title}", "", "| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def evaluate(options, database, write):
    documents, queries, judgments = judged.read_set(options.directory)
    if options.queries:
        documents, queries, judgments = judged.subset(
            documents, queries, judgments, options.queries, options.documents
        )
    kind = pathlib.Path(options.directory).name
    name = f"quality {kind}"
    began = time.monotonic()
    database.index(name, documents, options.model, "none")
    print(f"   {kind}: {len(documents)} documents indexed in {time.monotonic() - began:.0f} s", file=sys.stderr)
    rows, scores = measure(database, name, queries, judgments, METHODS)
    if options.sweep:
        arms = [database.search(name, queries, METHODS[arm], fusion.WHOLE) for arm in ("bm25", "semantic")]
        swept = fusion.sweep(*arms, judgments)
    database.drop(name)
    if options.chunked:
        database.index(name, documents, options.model, "auto")
        chunked, _ = measure(
            database, name, queries, judgments, ("bm25", "semantic", "rrf", "relative"), ", max_per_document => 1"
        )
        rows += [[f"{method}, default chunking", *figures] for method, *figures in chunked]
        database.drop(name)
    write("1-quality.md", table(f"{kind}: {len(documents)} documents, {len(queries)} queries", HEADER, rows))
    if options.sweep:
        header = ["fusion", *(f"depth {depth}" for depth in fusion.DEPTHS)]
        write("1-quality.md", table(f"{kind}: nDCG@10 by fusion and depth of the arms", header, swept))
    return kind, scores


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--queries", type=int)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--model", default="local/all-minilm-l6-v2")
    parser.add_argument("--floor", action="append", default=[])
    parser.add_argument("--chunked", action="store_true")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(sys.argv[1:split])
    floors = {method: float(floor) for method, floor in (f.split("=") for f in options.floor)}
    if not floors.keys() <= METHODS.keys():
        sys.exit(f"error: a floor must be for one of {', '.join(METHODS)}, not {', '.join(floors.keys() - METHODS.keys())}")

    def write(file, text):
        """Appends to a file in the output directory; everything but verdicts is also printed."""
        if file != "targets.md":
            print(text, flush=True)
        if options.output:
            with open(options.output / file, "a", encoding="utf-8") as output:
                output.write(text + "\n")

    try:
        kind, scores = evaluate(options, Database(sys.argv[split + 1 :]), write)
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {error.stderr.strip()}")
    below = []
    for method, floor in floors.items():
        reached = scores[method] >= floor
        verdict = "met" if reached else "**MISSED**"
        write("targets.md", f"| {kind}: nDCG@10, {method} | at least {floor} | {scores[method]:.4f} | {verdict} |")
        if not reached:
            below.append(f"nDCG@10 of {method} on {kind} is {scores[method]:.4f}, below {floor}")
    if below:
        sys.exit("error: " + "; ".join(below))


main()
