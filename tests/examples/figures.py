"""Compares the figures of kb_evaluate with those of ir_measures, on random documents and questions. Prints what differs."""

import json
import random
import sys

import ir_measures
import psycopg
from ir_measures import RR, Success, nDCG

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
MEASURES = [Success @ 1, Success @ 5, Success @ 1000, RR, nDCG @ 10]
CONFIGURATIONS = [
    {},
    {"mode": "keyword", "match_count": 40},
    {"mode": "semantic", "match_count": 7},
    {"fusion": "rrf", "match_count": 25, "max_per_document": 1},
]
LARGEST = 1e-9


def main(conninfo):
    connection = psycopg.connect(conninfo, autocommit=True)

    def ask(sql, *values):
        return connection.execute(sql, values).fetchall()

    random.seed(5)
    ask("SELECT kb_create('figures', model => 'fake/e8', dimensions => 8, chunk_size => 200, chunk_overlap => 0)")
    for number in range(60):
        paragraphs = [" ".join(random.choices(WORDS, k=30)) for _ in range(random.randint(1, 4))]
        ask("SELECT kb_add('figures', %s, source_key => %s)", "\n\n".join(paragraphs), f"d{number}")
    expected = {}
    for _ in range(80):
        keys = [f"d{number}" for number in random.sample(range(60), random.randint(1, 14))]
        question = " ".join(random.sample(WORDS, 2))
        [(id,)] = ask("SELECT kb_question_add('figures', %s, expected_keys => %s)", question, keys)
        expected[str(id)] = {key: 1 for key in keys}

    for arguments in CONFIGURATIONS:
        run = {}
        named = {"match_count": 10, **arguments}
        call = ", ".join(f"{name} => {value!r}" for name, value in named.items())
        for id, question in ask("SELECT id, question FROM kb_figures.question"):
            found = ask(f"SELECT source FROM kb_search(%s, 'figures', {call})", question)
            sources = list(dict.fromkeys(source for source, in found))
            run[str(id)] = {source: len(sources) - place for place, source in enumerate(sources)}
        each = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(MEASURES, expected, run)}
        means = ir_measures.calc_aggregate(MEASURES, expected, run)
        [ours] = ask("SELECT first_hit, hits_5, hits_k, mrr, ndcg_10 FROM kb_evaluate('figures', %s)", json.dumps(arguments))
        pairs = [(str(measure), value, means[measure]) for measure, value in zip(MEASURES, ours)]
        for id, mrr, ndcg in ask(
            "SELECT question_id, mrr, ndcg_10 FROM kb_evaluate_questions('figures', %s)", json.dumps(arguments)
        ):
            pairs += [("RR", mrr, each[str(id), "RR"]), ("nDCG@10", ndcg, each[str(id), "nDCG@10"])]
        if len(pairs) != len(MEASURES) + 2 * len(expected):
            sys.exit(f"{len(pairs)} figures were compared")
        for measure, value, other in pairs:
            if abs(value - other) > LARGEST:
                sys.exit(f"{measure} with {arguments} is {value}, by ir_measures {other}")
    print(f"   {len(CONFIGURATIONS)} configurations of {len(expected)} questions equal ir_measures")


if __name__ == "__main__":
    main(sys.argv[1])
