"""Fuses two ranked lists [(document, score, chunk)], best first, as kb_hybrid_search does, to compare parameters."""

import judged

DEPTHS = (50, 100, 200, 400)
RRF_K = (10, 20, 40, 60, 100)
# The most results that a search returns.
WHOLE = 10_000


def reciprocal_rank(arms, k):
    return best_first(arms, lambda arm, rank, score: 1 / (k + rank))


def relative_score(arms):
    """Scales the scores of each arm to the range from 0 (its worst) to 1 (its best), and adds them up."""
    ranges = [(min(hit[1] for hit in arm), max(hit[1] for hit in arm)) if arm else (0, 0) for arm in arms]

    def share(arm, rank, score):
        low, high = ranges[arm]
        return (score - low) / (high - low) if high > low else 1.0

    return best_first(arms, share)


def complete(arms, scores):
    """Every candidate with its score in every arm; `scores` are those of all documents, 0 if absent."""
    candidates = {(docid, chunk) for arm in arms for docid, _, chunk in arm}
    return [[(docid, of_arm.get(docid, 0.0), chunk) for docid, chunk in candidates] for of_arm in scores]


def best_first(arms, share):
    """Sorts by the sum of the shares, ties by chunk."""
    scores = {}
    for index, arm in enumerate(arms):
        for rank, (docid, score, chunk) in enumerate(arm, start=1):
            scores[chunk, docid] = scores.get((chunk, docid), 0.0) + share(index, rank, score)
    return [docid for (_, docid), _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


def sweep(keyword, semantic, judgments):
    """nDCG@10 of every method at every depth: rows of a table, with the best of each column marked. Both arms are complete."""
    table = {}
    for depth in DEPTHS:
        fused = {}
        for qid in judgments:
            whole = (keyword[qid], semantic[qid])
            arms = [arm[:depth] for arm in whole]
            scores = [{docid: score for docid, score, _ in arm} for arm in whole]
            for k in RRF_K:
                fused.setdefault(f"rrf, k = {k}", {})[qid] = reciprocal_rank(arms, k)
            fused.setdefault("relative", {})[qid] = relative_score(complete(arms, scores))
            fused.setdefault("relative, arms not completed", {})[qid] = relative_score(arms)
        for method, found in fused.items():
            table.setdefault(method, []).append(judged.mean(judged.ndcg, found, judgments))
    best = [max(column) for column in zip(*table.values())]
    mark = lambda value, most: f"**{value:.4f}**" if value == most else f"{value:.4f}"
    return [[method, *map(mark, values, best)] for method, values in table.items()]
