"""Fuses two ranked lists [(document, score, chunk)], best first, as kb_hybrid_search and kb_search do, to compare parameters."""

import math

import judged

# Those of the server, crates/core/src/search and src/search/request.rs.
DEPTH = 80
SEMANTIC_DEPTH_BY_RANK = 50
COMPARED = 20
DEFAULT_RRF_K = 10

DEPTHS = (50, DEPTH, 100, 200, 400)
RRF_K = (DEFAULT_RRF_K, 15, 20, 30, 60, 100)
# The most results that a search returns.
WHOLE = 10_000


def ranks(arms):
    """The rank of each chunk in each arm that found it."""
    return [{chunk: rank for rank, (_, _, chunk) in enumerate(arm, start=1)} for arm in arms]


def shared_ranks(arms):
    """The same, but chunks with equal scores in an arm have the rank of the first of them."""
    shared = []
    for arm in arms:
        first = {}
        for rank, (_, score, _) in enumerate(arm, start=1):
            first.setdefault(score, rank)
        shared.append({chunk: first[score] for _, score, chunk in arm})
    return shared


def with_equals(listed, whole, others):
    """A list with those of `others` that have the score of its last one and are listed behind it."""
    if not listed:
        return listed
    _, cut, _ = listed[-1]
    return listed + [hit for hit in whole[len(listed) :] if hit[1] == cut and hit[2] in others]


def ranked_by(whole, depth):
    """Both arms as their ranks are fused: the semantic one is less deep, and only the first by keyword are compared there."""
    keyword, semantic = whole[0][:depth], whole[1][: depth * SEMANTIC_DEPTH_BY_RANK // DEPTH]
    chunks = lambda arm: {chunk for _, _, chunk in arm}
    return [
        with_equals(keyword, whole[0], chunks(semantic)),
        with_equals(semantic, whole[1], chunks(keyword[:COMPARED])),
    ]


def reciprocal_rank(arms, k, weight=1.0):
    """`weight` is that of the first arm, of keywords."""
    ranked, weights = shared_ranks(arms), (weight, 1.0)
    return best_first(arms, ranked, lambda arm, rank, score, chunk: weights[arm] / (k + ranked[arm][chunk]))


def relative_score(arms, found=None, weight=1.0):
    """Scales the scores of each arm to the range from 0 (its worst) to 1 (its best), and adds them up. `found` are the arms
    without the hits that only have a score there; `weight` is that of the first arm, of keywords."""
    weights = (weight, 1.0)
    scores = [[score for _, score, _ in arm] for arm in arms]
    ranges = [(min(of_arm), max(of_arm)) if of_arm else (0, 0) for of_arm in scores]

    def share(arm, rank, score, chunk):
        low, high = ranges[arm]
        return weights[arm] * ((score - low) / (high - low) if high > low else 1.0)

    return best_first(arms, ranks(found or arms), share)


def complete(arms, scores):
    """Every candidate with its score in every arm; `scores` are those of all documents, 0 if absent. An arm that found
    nothing tells nothing apart, and stays empty."""
    candidates = {(docid, chunk) for arm in arms for docid, _, chunk in arm}
    return [
        [(docid, of_arm.get(docid, 0.0), chunk) for docid, chunk in candidates] if arm else []
        for arm, of_arm in zip(arms, scores)
    ]


def best_first(arms, ranked, share):
    """Sorts by the sum of the shares, ties by rank in the first arm, then in the second, then by chunk."""
    scores = {}
    for index, arm in enumerate(arms):
        for rank, (docid, score, chunk) in enumerate(arm, start=1):
            scores[chunk, docid] = scores.get((chunk, docid), 0.0) + share(index, rank, score, chunk)

    def order(item):
        (chunk, _), score = item
        return (-score, [of_arm.get(chunk, math.inf) for of_arm in ranked], chunk)

    return [docid for (_, docid), _ in sorted(scores.items(), key=order)]


def fused(whole, depth, by_rank, by_score):
    """The documents by method, from both arms complete, and the weight of that of keywords, by rank and by score."""
    arms = [arm[:depth] for arm in whole]
    ranked = ranked_by(whole, depth)
    scores = [{docid: score for docid, score, _ in arm} for arm in whole]
    return {
        **{f"rrf, k = {k}": reciprocal_rank(ranked, k, by_rank) for k in RRF_K},
        "relative": relative_score(complete(arms, scores), arms, by_score),
        "relative, arms not completed": relative_score(arms, weight=by_score),
    }


def sweep(keyword, semantic, by_rank, by_score, judgments):
    """nDCG@10 of every method at every depth: rows of a table, with the best of each column marked; and what the server's functions
    should find, by their names. Both arms are complete. `by_rank` and `by_score` are the weights of the keyword arm, by question."""
    table, expected = {}, {}
    for depth in DEPTHS:
        found = {}
        for qid in judgments:
            for method, documents in fused((keyword[qid], semantic[qid]), depth, by_rank[qid], by_score[qid]).items():
                found.setdefault(method, {})[qid] = documents
        for method, documents in found.items():
            table.setdefault(method, []).append(judged.mean(judged.ndcg, documents, judgments))
        if depth == DEPTH:
            expected = {"kb_search": found["relative"], "kb_hybrid_search": found[f"rrf, k = {DEFAULT_RRF_K}"]}
    best = [max(column) for column in zip(*table.values())]
    mark = lambda value, most: f"**{value:.4f}**" if value == most else f"{value:.4f}"
    return [[method, *map(mark, values, best)] for method, values in table.items()], expected
