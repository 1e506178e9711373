"""Prints the licences of what the packages contain: the model and the Rust crates of the library and the programs, each text once."""

import json
import pathlib
import subprocess

MODEL = """\
all-MiniLM-L6-v2, the sentence model in models/ (weights quantized to int8, vocabulary, configuration)
by the sentence-transformers project, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
Apache License 2.0, whose text is below
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


BUILT = ["kb_rag", "kb_rag_extract", "kb_rag_client"]
packages = [argument for crate in BUILT for argument in ("-p", crate)]
tree = run("cargo", "tree", "--quiet", "--locked", *packages, "--edges", "normal", "--prefix", "none", "--format", "{p}")
linked = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
metadata = json.loads(run("cargo", "metadata", "--quiet", "--locked", "--format-version", "1"))
crates = sorted(
    (p for p in metadata["packages"] if p["source"] and (p["name"], "v" + p["version"]) in linked),
    key=lambda p: (p["name"], p["version"]),
)
texts = {}
for crate in crates:
    directory = pathlib.Path(crate["manifest_path"]).parent
    for file in sorted(directory.iterdir()):
        if file.is_file() and file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")):
            texts.setdefault(file.read_text(errors="replace").strip(), []).append(f"{crate['name']} {crate['version']}")

print(MODEL)
print("Rust crates linked into kb_rag.so, kb-rag-extract or kb-rag:\n")
for crate in crates:
    print(f"{crate['name']} {crate['version']}: {crate['license'] or 'see its licence file'}, {crate['repository'] or 'crates.io'}")
for text, names in texts.items():
    print(f"\n{'=' * 80}\n{', '.join(names)}\n{'=' * 80}\n\n{text}")
