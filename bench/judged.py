"""Judged sets in BEIR's layout, and measures of a ranking on them."""

import json
import math
import pathlib


def read_jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def identifier(row):
    return str(row.get("id", row.get("_id")))


def read_set(directory):
    """Returns documents {id: (title, text)}, queries {id: text}, also those without a judgment, and judgments
    {qid: {docid: relevance}}."""
    directory = pathlib.Path(directory)
    documents = {identifier(d): (d.get("title", ""), d["text"]) for d in read_jsonl(directory / "corpus.jsonl")}
    queries = {identifier(q): q["text"] for q in read_jsonl(directory / "queries.jsonl")}
    judgments = {}
    for line in (directory / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        qid, docid, relevance = line.split("\t")
        if int(relevance) > 0:
            judgments.setdefault(qid, {})[docid] = int(relevance)
    return documents, queries, judgments


def subset(documents, queries, judgments, most_queries, most_documents):
    """The first queries, the documents judged for them, and other documents as distractors."""
    queries = {qid: queries[qid] for qid in list(judgments)[:most_queries]}
    judged = {docid for qid in queries for docid in judgments[qid]}
    others = [docid for docid in documents if docid not in judged]
    # Spread evenly over the corpus, so that the distractors are varied.
    wanted = max(0, most_documents - len(judged))
    step = max(1, len(others) // max(1, wanted))
    kept = judged | set(others[::step][:wanted])
    return {d: t for d, t in documents.items() if d in kept}, queries, {q: judgments[q] for q in queries}


def ndcg(ranked, relevant, depth=10):
    """Normalized discounted cumulative gain with gain = relevance, as in trec_eval (Järvelin and Kekäläinen, 2002)."""
    gain = sum(relevant.get(d, 0) / math.log2(rank + 2) for rank, d in enumerate(ranked[:depth]))
    ideal = sum(g / math.log2(rank + 2) for rank, g in enumerate(sorted(relevant.values(), reverse=True)[:depth]))
    return gain / ideal


def recall(ranked, relevant, depth=100):
    return len(set(ranked[:depth]) & set(relevant)) / len(relevant)


def reciprocal_rank(ranked, relevant, depth=10):
    return next((1 / rank for rank, d in enumerate(ranked[:depth], start=1) if d in relevant), 0.0)


def first_hit(ranked, relevant):
    return float(bool(ranked) and ranked[0] in relevant)


def mean(measure, found, judgments):
    """The mean of a measure over all queries; `found` are ranked ids by query."""
    return sum(measure(found[qid], judgments[qid]) for qid in judgments) / len(judgments)
