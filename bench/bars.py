"""What is required of searches: rows of the table of targets, and whether all are reached."""

# Each must be the beginning of the longest.
MATCH_COUNTS = (1, 5, 10, 50, 100)
ARMS = ("bm25", "semantic")
HYBRID = ("kb_search", "kb_hybrid_search")


class Bars:
    """Collects verdicts on one judged set."""

    def __init__(self, kind):
        self.kind = kind
        self.rows = []
        self.missed = []

    def add(self, what, wanted, got, is_met):
        self.rows.append(f"| {self.kind}: {what} | {wanted} | {got} | {'met' if is_met else '**MISSED**'} |")
        if not is_met:
            self.missed.append(f"{self.kind}: {what}: {got}, wanted {wanted}")

    def floor(self, method, score, least):
        self.add(f"nDCG@10, {method}", f"at least {least}", f"{score:.4f}", score >= least)

    def most_percent(self, what, percent, most):
        self.add(what, f"at most {most} %", f"{percent:.1f} %", percent <= most)

    def better_arm(self, scores, margin, methods=HYBRID):
        """Hybrid search is at most so much worse than the better of its arms."""
        best = max(ARMS, key=scores.get)
        for method in methods:
            difference = scores[method] - scores[best]
            wanted = f"at most {margin} below" if margin else "not below"
            what = f"nDCG@10, {method}, against the better of its arms ({best})"
            self.add(what, wanted, f"{difference:+.4f}", difference >= -margin)

    def prefixes(self, what, found):
        """`found`: results by number wanted. Fewer wanted are the beginning of more."""
        longest = found[MATCH_COUNTS[-1]]
        good = 0
        for qid, most in longest.items():
            chunks = [chunk for _, _, chunk in most]
            good += all([hit[2] for hit in found[count][qid]] == chunks[:count] for count in MATCH_COUNTS)
        shorter = ", ".join(map(str, MATCH_COUNTS[:-1]))
        what = f"{what}: the results of match_count {shorter} are the first of {MATCH_COUNTS[-1]}"
        self.add(what, "always", f"{good} of {len(longest)} queries", good == len(longest))

    def quoted(self, what, queries, found):
        """Quotation marks take no row away."""
        quoted = [qid for qid, text in queries.items() if '"' in text]
        full = sum(len(found[qid]) == 10 for qid in quoted)
        what = f"{what}: ten results for questions with quotation marks"
        self.add(what, "always", f"{full} of {len(quoted)} queries", quoted and full == len(quoted))

    def recomputed(self, what, found, expected, is_exact):
        """The server's first ten are those computed from its arms, except where its approximate index misses one of the arms'."""
        good = sum([docid for docid, _, _ in found[qid]][:10] == expected[qid][:10] for qid in expected)
        least, wanted = (1, "all queries") if is_exact else (0.95, "at least 95% of the queries")
        what = f"{what}: first ten as computed from its arms"
        self.add(what, wanted, f"{good} of {len(expected)}", good >= least * len(expected))
