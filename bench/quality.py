"""Retrieval quality of kb_rag on a judged set in BEIR's layout, measured through its SQL functions.

A set is a directory with corpus.jsonl {id|_id, title, text}, queries.jsonl {id|_id, text} and qrels.tsv
(qid, docid, rel; with a header). Documents are indexed whole (chunk_strategy 'none'), so a passage is a document.

usage: quality.py DIRECTORY [--queries N --documents N] [--model MODEL] [--floor MODE=NDCG …] -- PSQL [psql options]

With --queries, the first N judged queries are asked, and the corpus is their judged documents filled up with others to
--documents. Prints a table; exits with 1 when nDCG@10 of a mode is below its floor.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

MODES = ("keyword", "semantic", "hybrid")
DEPTH = 100


def read_jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def identifier(row):
    return str(row.get("id", row.get("_id")))


def read_set(directory):
    """Returns documents {id: (title, text)}, queries {id: text} and judgments {qid: {docid: relevance}}."""
    directory = pathlib.Path(directory)
    documents = {identifier(d): (d.get("title", ""), d["text"]) for d in read_jsonl(directory / "corpus.jsonl")}
    queries = {identifier(q): q["text"] for q in read_jsonl(directory / "queries.jsonl")}
    judgments = {}
    for line in (directory / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        qid, docid, relevance = line.split("\t")
        if int(relevance) > 0:
            judgments.setdefault(qid, {})[docid] = int(relevance)
    return documents, {qid: queries[qid] for qid in judgments}, judgments


def subset(documents, queries, judgments, most_queries, most_documents):
    """The first queries, what is judged for them, and other documents as distractors."""
    queries = dict(list(queries.items())[:most_queries])
    judged = {docid for qid in queries for docid in judgments[qid]}
    others = [docid for docid in documents if docid not in judged]
    # Spread evenly over the corpus, so that distractors are of every kind.
    wanted = max(0, most_documents - len(judged))
    step = max(1, len(others) // max(1, wanted))
    kept = judged | set(others[::step][:wanted])
    return {d: t for d, t in documents.items() if d in kept}, queries, {q: judgments[q] for q in queries}


def ndcg(ranked, relevant, depth=10):
    """Normalised discounted cumulative gain with gain = relevance, as in trec_eval (Järvelin and Kekäläinen, 2002)."""
    gain = sum(relevant.get(d, 0) / math.log2(rank + 2) for rank, d in enumerate(ranked[:depth]))
    ideal = sum(g / math.log2(rank + 2) for rank, g in enumerate(sorted(relevant.values(), reverse=True)[:depth]))
    return gain / ideal


def recall(ranked, relevant, depth=DEPTH):
    return len(set(ranked[:depth]) & set(relevant)) / len(relevant)


def reciprocal_rank(ranked, relevant, depth=10):
    return next((1 / rank for rank, d in enumerate(ranked[:depth], start=1) if d in relevant), 0.0)


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def run(psql, sql):
    return subprocess.run([*psql, "-qAt", "-F", "\t"], input=sql, text=True, capture_output=True, check=True).stdout


def index(psql, name, documents, model):
    """Makes the base and fills it in one statement."""
    rows = ",\n".join(
        f"({literal(title)}, {literal(text)}, {literal(docid)})" for docid, (title, text) in documents.items()
    )
    run(
        psql,
        "SET client_min_messages = warning;\n"
        f"SELECT kb_drop(name) FROM kb_list() WHERE name = {literal(name)};\n"
        f"SELECT kb_create({literal(name)}, model => {literal(model)}, chunk_strategy => 'none', "
        "text_config => 'english') AS id \\gset\n"
        f"SELECT schema FROM kb_list() WHERE id = :'id' \\gset\n"
        f"INSERT INTO :\"schema\".document (title, content, source_key) VALUES\n{rows};\n",
    )


def search(psql, name, queries, mode):
    """Asks all queries; returns the ids of the documents found, best first, by query."""
    rows = ",\n".join(f"({literal(qid)}, {literal(text)})" for qid, text in queries.items())
    answer = run(
        psql,
        f"SELECT q.id, r.source FROM (VALUES {rows}) AS q (id, text), LATERAL (\n"
        f"SELECT source, row_number() OVER () AS rank FROM kb_search(q.text, {literal(name)}, {literal(mode)}, {DEPTH})"
        ") r ORDER BY q.id, r.rank;\n",
    )
    found = {qid: [] for qid in queries}
    for line in answer.splitlines():
        qid, docid = line.split("\t")
        found[qid].append(docid)
    return found


def main():
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--queries", type=int)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--model", default="local/all-minilm-l6-v2")
    parser.add_argument("--floor", action="append", default=[])
    options = parser.parse_args(sys.argv[1:split])
    psql = sys.argv[split + 1 :]
    floors = {mode: float(floor) for mode, floor in (f.split("=") for f in options.floor)}

    documents, queries, judgments = read_set(options.directory)
    if options.queries:
        documents, queries, judgments = subset(documents, queries, judgments, options.queries, options.documents)
    name = "quality " + pathlib.Path(options.directory).name
    try:
        index(psql, name, documents, options.model)
        below = []
        print(f"{name}: {len(documents)} documents, {len(queries)} queries")
        print(f"{'mode':<10} {'nDCG@10':>8} {'recall@100':>11} {'MRR@10':>8}")
        for mode in MODES:
            found = search(psql, name, queries, mode)
            scores = [
                sum(measure(found[q], judgments[q]) for q in queries) / len(queries)
                for measure in (ndcg, recall, reciprocal_rank)
            ]
            print(f"{mode:<10} {scores[0]:>8.4f} {scores[1]:>11.4f} {scores[2]:>8.4f}")
            if scores[0] < floors.get(mode, 0):
                below.append(f"nDCG@10 of {mode} is {scores[0]:.4f}, below {floors[mode]}")
        run(psql, f"SELECT kb_drop({literal(name)});\n")
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {error.stderr.strip()}")
    if below:
        sys.exit("error: " + "; ".join(below))


main()
