"""Prints a list of what a package is made of, in CycloneDX 1.6: its files, the crates that are linked into its programs, the
models, and what depends on what.

usage: sbom.py WHAT VERSION TIME DIRECTORY     WHAT: server, kb-rag or the name of a model; TIME: in seconds since 1970; DIRECTORY:
                                               of the collected files
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

# What each program is made of.
PROGRAMS = {"lib/kb_rag.so": "kb_rag", "lib/kb-rag-extract": "kb_rag_extract", "bin/kb-rag": "kb_rag_client"}
DESCRIPTIONS = {
    "kb_rag": "PostgreSQL extension: chunk, embed, index and search documents",
    "kb-rag": "client program of the PostgreSQL extension kb_rag",
}
# Where the models are: in an image volume below share.
MODEL_DIRECTORIES = ("models", "share/kb_rag/models")
MODELS = {
    "all-minilm-l6-v2": {
        "license": "Apache-2.0",
        "author": "the sentence-transformers project",
        "url": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    },
    "multilingual-e5-small": {
        "license": "MIT",
        "author": "Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder and Furu Wei",
        "url": "https://huggingface.co/intfloat/multilingual-e5-small",
    },
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sha256(path):
    return [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]


def licensed(expression):
    """Old crates separate alternatives by a slash."""
    return [{"expression": expression.replace("/", " OR ")}] if expression else []


def crates(roots):
    """The crates that are linked into `roots`, by their identifier in cargo's answer, and what each depends on."""
    host = re.search(r"^host: (.*)$", run("rustc", "-vV"), re.M)[1]
    metadata = json.loads(
        run("cargo", "metadata", "--quiet", "--locked", "--format-version", "1", "--filter-platform", host)
    )
    arguments = [argument for root in roots for argument in ("-p", root)]
    tree = run("cargo", "tree", "--quiet", "--locked", *arguments, "--edges", "normal", "--prefix", "none", "--format", "{p}")
    linked = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    found = {p["id"]: p for p in metadata["packages"] if (p["name"], "v" + p["version"]) in linked}
    edges = {
        node["id"]: [
            dependency["pkg"]
            for dependency in node["deps"]
            if dependency["pkg"] in found and any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
        for node in metadata["resolve"]["nodes"]
        if node["id"] in found
    }
    return found, edges


def checksums():
    lock = pathlib.Path("Cargo.lock").read_text(encoding="utf-8")
    pattern = r'name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"'
    return {(name, version): checksum for name, version, checksum in re.findall(pattern, lock)}


def reference(crate):
    return f"{crate['name']}@{crate['version']}"


def component(crate, checksum):
    one = {
        "type": "library",
        "bom-ref": reference(crate),
        "name": crate["name"],
        "version": crate["version"],
        "licenses": licensed(crate["license"]),
    }
    if crate["source"]:
        one["purl"] = f"pkg:cargo/{crate['name']}@{crate['version']}"
        one["hashes"] = [{"alg": "SHA-256", "content": checksum[crate["name"], crate["version"]]}]
        if re.match("https?://", crate["repository"] or ""):
            one["externalReferences"] = [{"type": "vcs", "url": crate["repository"]}]
    return one


def file(path, directory):
    name = str(path.relative_to(directory))
    return {"type": "file", "bom-ref": f"file:{name}", "name": name, "hashes": sha256(path)}


def model(directory, path):
    name = path.name
    known = MODELS[name]
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{name}",
        "name": name,
        "authors": [{"name": known["author"]}],
        "description": "sentence model; the weights are quantized to int8",
        "licenses": licensed(known["license"]),
        "externalReferences": [{"type": "website", "url": known["url"]}],
        "components": [file(one, directory) for one in sorted(path.iterdir())],
    }


def main(what, version, time, directory):
    directory = pathlib.Path(directory)
    programs = [path for path in PROGRAMS if (directory / path).exists()]
    models = sorted(path for models in MODEL_DIRECTORIES for path in (directory / models).glob("*"))
    components = [file(directory / path, directory) for path in programs] + [model(directory, path) for path in models]
    depends = {}
    if programs:
        found, edges = crates([PROGRAMS[path] for path in programs])
        checksum = checksums()
        named = {p["name"]: p for p in found.values() if not p["source"]}
        rust = re.search(r"^release: (.*)$", run("rustc", "-vV"), re.M)[1]
        components += [component(p, checksum) for p in sorted(found.values(), key=lambda p: (p["name"], p["version"]))]
        components.append(
            {
                "type": "library",
                "bom-ref": f"rust@{rust}",
                "name": "Rust standard library",
                "version": rust,
                "licenses": licensed("MIT OR Apache-2.0"),
            }
        )
        depends = {reference(found[crate]): sorted({reference(found[to]) for to in edges[crate]}) for crate in found}
        for path in programs:
            depends[f"file:{path}"] = [reference(named[PROGRAMS[path]]), f"rust@{rust}"]
    name = what if what in DESCRIPTIONS else "kb_rag" if what == "server" else f"kb-rag-model-{what}"
    top = {
        "type": "data" if not programs else "application" if what == "kb-rag" else "library",
        "bom-ref": name,
        "name": name,
        "version": version,
        "description": DESCRIPTIONS.get(name, f"files of the sentence model {what} for the PostgreSQL extension kb_rag"),
        "licenses": licensed("PostgreSQL" if programs else MODELS[what]["license"]),
    }
    if os.environ.get("SOURCE_URL"):
        top["externalReferences"] = [{"type": "vcs", "url": os.environ["SOURCE_URL"]}]
    depends[name] = [f"file:{path}" for path in programs] + [f"model:{one.name}" for one in models]
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(int(time), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": top,
        },
        "components": components,
        "dependencies": [{"ref": one, "dependsOn": depends[one]} for one in sorted(depends)],
    }
    # The same files give the same number.
    bom["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True)).urn
    print(json.dumps(bom, indent=1, ensure_ascii=False))


main(*sys.argv[1:])
