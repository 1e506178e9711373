"""Counts the tokens of each paragraph of the samples with tiktoken, and compares them with the counts that are stored, or writes those.

usage: tokens.py FOLDER_OF_VOCABULARIES FOLDER_OF_SAMPLES [write]
"""

import base64
import json
import pathlib
import sys

import tiktoken


def encoding(folder, name):
    """The encoding of this name; its ranks are lines of a number and the base64 of tokens from this number on."""
    source = (folder / f"{name}.js").read_text()
    values = json.loads(source[source.index("{") : source.rindex("}") + 1])
    ranks = {}
    for line in values["bpe_ranks"].splitlines():
        fields = line.split()
        for offset, token in enumerate(fields[2:]):
            ranks[base64.b64decode(token)] = int(fields[1]) + offset
    return tiktoken.Encoding(
        name,
        pat_str=values["pat_str"],
        mergeable_ranks=ranks,
        special_tokens=values["special_tokens"],
    )


def main(vocabularies, samples, *write):
    samples = pathlib.Path(samples)
    encodings = [
        encoding(pathlib.Path(vocabularies), name)
        for name in ("cl100k_base", "o200k_base")
    ]
    lines = []
    for path in sorted(samples.glob("*.txt")):
        for number, text in enumerate(path.read_text().strip("\n").split("\n\n"), 1):
            counts = [len(each.encode_ordinary(text)) for each in encodings]
            lines.append("\t".join(map(str, [path.name, number, *counts])) + "\n")
    stored = samples / "counts.tsv"
    if write:
        stored.write_text("".join(lines))
    elif stored.read_text() != "".join(lines):
        sys.exit(f"{stored} has not the counts of tiktoken {tiktoken.__version__}: run dev/tokens write")
    print(f"   {len(lines)} paragraphs counted by tiktoken {tiktoken.__version__}")


main(*sys.argv[1:])
