"""Prints SQL that compares kb_embed with the reference vectors of the default model: how many texts there are, and the least
cosine. jsonb cannot hold the text with a NUL, nor can text in PostgreSQL.

usage: python3 package_vectors.py | psql
"""

import json
import pathlib

root = pathlib.Path(__file__).resolve().parent.parent
cases = json.loads((root / "crates/encoder/tests/reference/vectors.json").read_text())
kept = [{key: case[key] for key in ("text", "repeat", "vector")} for case in cases if "\0" not in case["text"]]
print(
    "SELECT count(*), min(1 - (kb_embed(repeat(c->>'text', (c->>'repeat')::int), 'local/all-minilm-l6-v2')"
    " <=> (c->>'vector')::vector)) >= 0.99"
    f" FROM jsonb_array_elements($cases${json.dumps(kept)}$cases$) c;"
)
