"""Whether dev/meta_json.py accepts what the specification allows, and refuses what it does not.

usage: meta_json.py META.json
"""

import copy
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "dev"))
from meta_json import faults

ADDRESSES = {"homepage": "https://a.example", "bugtracker": {"mailto": "a@b.example"}, "repository": {"web": "https://a.example/r"}}

# A path in the file, what is put there (None: nothing, so that it is gone), and part of the message (None: it is allowed).
CASES = [
    ("license", ["postgresql", "mit"], None),
    ("license", {"Mine": "https://a.example/license"}, None),
    ("maintainer", ["Ann <ann@a.example>", "Ben"], None),
    ("x_own", {"any": 1}, None),
    ("no_index", {"directory": ["tests"]}, None),
    ("resources", ADDRESSES, None),
    ("prereqs.runtime.requires.plpgsql", 0, None),
    ("prereqs.runtime.requires.vector", ">= 0.8.0, != 0.8.1", None),
    ("abstract", None, "lacks abstract"),
    ("abstract", "", "abstract"),
    ("version", "0.4", "version"),
    ("version", "01.4.0", "version"),
    ("name", "kb rag", "name"),
    ("license", "PostgreSQL", "license"),
    ("license", [], "license"),
    ("maintainer", ["Ann", "Ann"], "maintainer"),
    ("own", 1, "own"),
    ("release_status", "released", "release_status"),
    ("meta-spec", {"version": "2.0.0"}, "meta-spec.version"),
    ("meta-spec", {"version": "1.0.0", "url": "https://a.example"}, "meta-spec.url"),
    ("provides", {}, "provides"),
    ("provides.kb_rag.file", None, "lacks file"),
    ("provides.kb_rag.file", "sql/gone.sql", "there is no sql/gone.sql"),
    ("provides.kb_rag.version", 1, "provides.kb_rag.version"),
    ("tags", "search", "tags"),
    ("tags", ["a/b"], "tags"),
    ("prereqs.run", {"requires": {"vector": 0}}, "prereqs has run"),
    ("prereqs.runtime.requires.vector", "0.8", "prereqs.runtime.requires.vector"),
    ("prereqs.runtime", {}, "prereqs.runtime is empty"),
    ("resources", {}, "resources is empty"),
    ("resources", {"homepage": "a.example"}, "resources.homepage"),
    ("resources", {"repository": {"type": "git"}}, "resources.repository"),
    ("resources", {"bugtracker": {"mailto": "ann"}}, "resources.bugtracker.mailto"),
]


def put(meta, path, value):
    *above, last = path.split(".")
    for key in above:
        meta = meta[key]
    if value is None:
        del meta[last]
    else:
        meta[last] = value


def main(file):
    valid = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    for path, value, message in CASES:
        meta = copy.deepcopy(valid)
        put(meta, path, value)
        found = faults(meta, ["."])
        if (message is None and found) or (message is not None and not any(message in fault for fault in found)):
            sys.exit(f"{path} as {value!r} has the faults {found}")


main(*sys.argv[1:])
