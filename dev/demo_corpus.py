"""Loads the Markdown files of the crates kb_rag is built from into the knowledge base "crates", one document per file.

usage: cargo metadata --format-version 1 | demo_corpus.py PSQL [psql options]

Prints one progress line. Files that have not changed are not embedded again, so a second run takes no time.
"""

import json
import pathlib
import subprocess
import sys

# Embedding this much takes about a minute on one core. READMEs come first, and direct dependencies before the others.
MAX_BYTES = 620_000
MAX_BYTES_A_FILE = 30_000
MIN_BYTES_A_FILE = 300


def markdown_files(metadata):
    """Yields (rank, crate, version, path below the crate, text), to be taken in order of rank."""
    members = set(metadata["workspace_members"])
    direct = {d["name"] for p in metadata["packages"] if p["id"] in members for d in p["dependencies"]}
    for package in metadata["packages"]:
        if package["source"] is None:
            continue
        folder = pathlib.Path(package["manifest_path"]).parent
        for path in sorted(folder.rglob("*.md")):
            name = path.relative_to(folder).as_posix()
            is_readme = path.name.lower().startswith("readme") and "/" not in name
            interesting = is_readme or path.name.lower().startswith("changelog") or name.startswith("docs/")
            if not interesting or not MIN_BYTES_A_FILE <= path.stat().st_size <= MAX_BYTES_A_FILE:
                continue
            text = path.read_text(encoding="utf-8", errors="replace").replace("\0", "")
            rank = (package["name"] not in direct, not is_readme, package["name"], package["version"], name)
            yield rank, package["name"], package["version"], name, text


def chosen(files):
    """Takes files in order while they fit the limit."""
    left = MAX_BYTES
    for _, crate, version, name, text in sorted(files):
        if len(text) <= left:
            left -= len(text)
            yield crate, version, name, text


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def main():
    documents = list(chosen(markdown_files(json.load(sys.stdin))))
    if len(documents) < 50:
        sys.exit(f"error: only {len(documents)} documents found in the cargo registry")
    psql = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    chunks = 0
    for done, (crate, version, name, text) in enumerate(documents, start=1):
        stem = name.rsplit("/", 1)[-1].removesuffix(".md")
        psql.stdin.write(
            f"SELECT kb_add('crates', {literal(text)}, title => {literal(crate + ' ' + stem)}, "
            f"source_key => {literal(f'{crate}-{version}/{name}')}, "
            f"metadata => {literal(json.dumps({'crate': crate, 'version': version}))}) AS id \\gset\n"
            "SELECT count(*) FROM kb_crates.chunk WHERE document_id = :'id';\n"
        )
        psql.stdin.flush()
        answer = psql.stdout.readline().strip()
        if not answer.isdigit():
            sys.exit(f"error: {crate}-{version}/{name} was not indexed")
        chunks += int(answer)
        # On a terminal, one line that is updated; in a log, a line now and then.
        if not sys.stderr.isatty() and done % 25 and done != len(documents):
            continue
        end = "\r" if sys.stderr.isatty() and done != len(documents) else "\n"
        print(f"   {done} of {len(documents)} documents, {chunks} chunks", end=end, file=sys.stderr, flush=True)
    psql.stdin.close()
    sys.exit(psql.wait())


main()
