"""Retrieval quality of kb_rag on a judged set in BEIR's layout, measured through its SQL functions.

A set is a directory with corpus.jsonl {id|_id, title, text}, queries.jsonl {id|_id, text} and qrels.tsv
(qid, docid, rel; with a header). Documents are indexed whole (chunk_strategy 'none'), so each chunk is a document, unless
--strategy gives another one: a document's rank is then that of its best chunk.

usage: quality.py DIRECTORY [--name NAME] [--queries N --documents N] [--model MODEL] [--text-config CONFIG]
                  [--strategy STRATEGY] [--floor METHOD=NDCG …] [--margin NDCG [--by-score]] [--prefixes] [--quoted] [--rankers] [--chunked] [--sweep]
                  [--output DIRECTORY] -- PSQL [psql options]

Prints a table: nDCG@10, MRR@10 and the share of queries whose first hit is right, of searches for 10 results, and recall@100
of searches for 100. Methods: bm25 and semantic (the arms alone), kb_hybrid_search and kb_search (with their defaults), and
with --rankers bm25_proximity, ts_rank and ts_rank_cd. Exits with 1 if a bar is missed:

--floor     nDCG@10 of a method
--margin    hybrid search may be so much worse than the better of its arms; with --by-score, only kb_search must not be worse
--prefixes  for all queries, the results are the first of a search for more
--quoted    questions with quotation marks get ten results

With --queries, only the first N judged queries run, and the corpus consists of their judged documents, filled up with
others to --documents. --chunked adds rows for the default chunking, where a document's rank is that of its best chunk.
--sweep adds the fusion of both arms with every rrf_k, and by relative score, at several depths, and checks the server's
answers against it. --output writes tables and verdicts to Markdown files in a directory.
"""

import argparse
import pathlib
import subprocess
import sys
import time

import fusion
import judged
from bars import HYBRID, MATCH_COUNTS, Bars
from database import Database

# Function and arguments besides query, base and number of results.
METHODS = {
    "bm25": ("kb_search", ", mode => 'keyword'"),
    "semantic": ("kb_search", ", mode => 'semantic'"),
    "kb_hybrid_search": ("kb_hybrid_search", ""),
    "kb_search": ("kb_search", ""),
}
RANKERS = {
    "kb_hybrid_search, proximity": ("kb_hybrid_search", ", ranker => 'bm25_proximity'"),
    "kb_search, proximity": ("kb_search", ", ranker => 'bm25_proximity'"),
    "ts_rank": ("kb_search", ", mode => 'keyword', ranker => 'ts_rank'"),
    "ts_rank_cd": ("kb_search", ", mode => 'keyword', ranker => 'ts_rank_cd'"),
}
# Up to this many vectors the server compares all, src/search/semantic.rs.
MAX_EXACT = 5_000
HEADER = ["method", "nDCG@10", "MRR@10", "first hit right", "recall@100"]


def ids(found):
    return {qid: [docid for docid, _, _ in ranked] for qid, ranked in found.items()}


class Evaluation:
    """Searches of one base."""

    def __init__(self, options, database, name, judged_set):
        self.options, self.database, self.name = options, database, name
        self.documents, self.queries, self.judgments = judged_set
        self.bars = Bars(options.name)

    def index(self, strategy):
        began = time.monotonic()
        self.database.index(
            self.name, self.documents, self.options.model, strategy, self.options.text_config
        )
        count, took = len(self.documents), time.monotonic() - began
        print(f"   {self.options.name}: {count} documents indexed in {took:.0f} s", file=sys.stderr)

    def measure(self, methods, extra="", label=""):
        """Rows of the table, nDCG@10 by method, and the first hundred results by method."""
        rows, scores, hundred = [], {}, {}
        for method in methods:
            function, arguments = METHODS.get(method) or RANKERS[method]
            search = lambda count: self.database.search(self.name, self.queries, (function, arguments + extra), count)
            found = {10: search(10), 100: search(100)}
            if self.options.prefixes and method in HYBRID:
                found |= {count: search(count) for count in MATCH_COUNTS if count not in found}
                self.bars.prefixes(method + label, found)
            if self.options.quoted and method in HYBRID:
                self.bars.quoted(method + label, self.queries, found[10])
            few, many = ids(found[10]), ids(found[100])
            figures = [
                judged.mean(judged.ndcg, few, self.judgments),
                judged.mean(judged.reciprocal_rank, few, self.judgments),
                judged.mean(judged.first_hit, few, self.judgments),
                judged.mean(judged.recall, many, self.judgments),
            ]
            scores[method], hundred[method] = figures[0], found[100]
            rows.append([method + label, *(f"{figure:.4f}" for figure in figures)])
        return rows, scores, hundred

    def sweep(self, hundred):
        """The table of parameters; checks what the server found."""
        arms = [
            self.database.search(self.name, self.queries, METHODS[arm], fusion.WHOLE) for arm in ("bm25", "semantic")
        ]

        def weights(method, share):
            """Where nothing else counts, the score of the best chunk by keyword is its share, times the weight of its arm. The
            other arm adds up to 1e-12, which would decide between equal sums."""
            first = self.database.search(self.name, self.queries, (method, ", semantic_weight => 1e-12"), 1)
            return {qid: round(first[qid][0][1] / share, 9) if arms[0][qid] else 1.0 for qid in first}

        by_rank, by_score = weights("kb_hybrid_search", 1 / (fusion.DEFAULT_RRF_K + 1)), weights("kb_search", 1)
        swept, expected = fusion.sweep(*arms, by_rank, by_score, self.judgments)
        for method, documents in expected.items():
            self.bars.recomputed(method, hundred[method], documents, len(self.documents) <= MAX_EXACT)
        return swept

    def run(self, write):
        self.index(self.options.strategy)
        extra = "" if self.options.strategy == "none" else ", max_per_document => 1"
        methods = METHODS | RANKERS if self.options.rankers else METHODS
        rows, scores, hundred = self.measure(methods, extra)
        for method, least in self.options.floor:
            self.bars.floor(method, scores[method], least)
        if self.options.margin is not None:
            self.bars.better_arm(scores, self.options.margin, HYBRID[:1] if self.options.by_score else HYBRID)
        swept = self.sweep(hundred) if self.options.sweep else None
        self.database.drop(self.name)
        if self.options.chunked:
            self.index("auto")
            chunked, _, _ = self.measure(METHODS, ", max_per_document => 1", ", default chunking")
            rows += chunked
            self.database.drop(self.name)
        sizes = f"{len(self.documents)} documents, {len(self.judgments)} queries"
        write(table(f"{self.options.name}: {sizes}", HEADER, rows))
        if swept:
            header = ["fusion", *(f"depth {depth}" for depth in fusion.DEPTHS)]
            write(table(f"{self.options.name}: nDCG@10 by fusion and depth of the arms", header, swept))


def table(title, header, rows):
    lines = ["", f"### {title}", "", "| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def floor(text):
    method, least = text.split("=")
    if method not in METHODS:
        raise argparse.ArgumentTypeError(f"a floor must be for one of {', '.join(METHODS)}, not {method}")
    return method, float(least)


def parsed(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--name")
    parser.add_argument("--queries", type=int)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--model", default="local/all-minilm-l6-v2")
    parser.add_argument("--text-config")
    parser.add_argument("--floor", type=floor, action="append", default=[])
    parser.add_argument("--margin", type=float)
    parser.add_argument("--by-score", action="store_true")
    parser.add_argument("--strategy", default="none")
    for switch in ("prefixes", "quoted", "rankers", "chunked", "sweep"):
        parser.add_argument(f"--{switch}", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    options.name = options.name or options.directory.resolve().name
    return options


def main():
    split = sys.argv.index("--")
    options = parsed(sys.argv[1:split])
    judged_set = judged.read_set(options.directory)
    if options.queries:
        judged_set = judged.subset(*judged_set, options.queries, options.documents)
    evaluation = Evaluation(options, Database(sys.argv[split + 1 :]), f"quality {options.name}", judged_set)

    def output(file, text):
        if options.output:
            with open(options.output / file, "a", encoding="utf-8") as lines:
                lines.write(text + "\n")

    def write(text):
        print(text, flush=True)
        output(f"1-quality-{options.name}.md", text)

    try:
        evaluation.run(write)
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {error.stderr.strip()}")
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    for row in evaluation.bars.rows:
        output("targets.md", row)
    if evaluation.bars.missed:
        sys.exit("error: " + "; ".join(evaluation.bars.missed))


main()
