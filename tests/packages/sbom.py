"""Checks lists of dev/sbom.py: by the schema of CycloneDX, their references and licenses, and against files and THIRD-PARTY.txt of
the package; then whether altered lists are noticed. Needs cyclonedx-python-lib for the schema,
jsonschema-rs and license-expression.

usage: sbom.py FILE DIRECTORY     DIRECTORY: of the package's files
"""

import copy
import functools
import hashlib
import importlib.util
import json
import pathlib
import re
import sys

import jsonschema_rs
from license_expression import get_spdx_licensing

LICENSES = get_spdx_licensing()


def validator():
    """Of CycloneDX's schema, which cyclonedx-python-lib contains with the schemas that it refers to."""
    directory = pathlib.Path(importlib.util.find_spec("cyclonedx").origin).parent / "schema/_res"

    def retrieve(uri):
        name = uri.rsplit("/", 1)[-1].removesuffix(".schema.json").removesuffix(".SNAPSHOT")
        return json.loads((directory / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8"))

    return jsonschema_rs.Draft7Validator(retrieve("bom-1.6.schema.json"), retriever=retrieve, validate_formats=True)


SCHEMA = validator()


@functools.cache
def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def nested(components):
    for component in components:
        yield component
        yield from nested(component.get("components", []))


def faults(text, directory):
    bom = json.loads(text)
    invalid = next(SCHEMA.iter_errors(bom), None)
    if invalid:
        yield f"not CycloneDX 1.6: {invalid}"
        return
    components = [bom["metadata"]["component"], *nested(bom["components"])]
    references = [component["bom-ref"] for component in components]
    for reference in references:
        if references.count(reference) > 1:
            yield f"{reference} is there twice"
    for dependency in bom["dependencies"]:
        for reference in (dependency["ref"], *dependency["dependsOn"]):
            if reference not in references:
                yield f"{reference} is depended on, but not listed"
    # All is there for something.
    to = {dependency["ref"]: dependency["dependsOn"] for dependency in bom["dependencies"]}
    reached, next_ones = set(), [bom["metadata"]["component"]["bom-ref"]]
    while next_ones:
        reference = next_ones.pop()
        if reference not in reached:
            reached.add(reference)
            next_ones += to.get(reference, [])
    for component in [bom["metadata"]["component"], *bom["components"]]:
        if component["bom-ref"] not in reached:
            yield f"nothing depends on {component['bom-ref']}"
        for one in component["licenses"] if component["type"] != "file" else []:
            for error in LICENSES.validate(one["expression"]).errors:
                yield f"{component['bom-ref']}: {error}"
        if component["type"] != "file" and not component["licenses"]:
            yield f"{component['bom-ref']} has no license"
    for component in components:
        if component["type"] == "file":
            path = directory / component["name"]
            if not path.exists() or sha256(path) != component["hashes"][0]["content"]:
                yield f"{component['name']} is not there, or another file"
    files = {component["name"] for component in components if component["type"] == "file"}
    for path in sorted(directory.glob("lib/*")) + sorted(directory.glob("bin/*")) + sorted(directory.glob("**/models/*/*")):
        if str(path.relative_to(directory)) not in files:
            yield f"{path.relative_to(directory)} is not listed"
    crates = set(re.findall(r"^pkg:cargo/(.*)$", "\n".join(component.get("purl", "") for component in components), re.M))
    texts = re.findall(r"^([\w-]+) (\d\S*): .*, \S+$", next(directory.glob("**/THIRD-PARTY.txt")).read_text(encoding="utf-8"), re.M)
    if crates != {f"{name}@{version}" for name, version in texts}:
        yield f"the crates differ from those of THIRD-PARTY.txt: {sorted(crates ^ {f'{name}@{version}' for name, version in texts})}"
    if files & {"lib/kb_rag.so", "bin/kb-rag"} and len(crates) < 50:
        yield f"there are only {len(crates)} crates"


def altered(bom, place, key, value):
    """A copy in which one component is another."""
    bom = copy.deepcopy(bom)
    next(c for c in [bom["metadata"]["component"], *nested(bom["components"])] if c["bom-ref"].startswith(place))[key] = value
    return json.dumps(bom)


def unnoticed(text, directory):
    """What the checks above do not notice in altered lists."""
    bom = json.loads(text)
    known = {component["bom-ref"] for component in nested(bom["components"])}
    file = next(reference for reference in known if reference.startswith("file:"))
    first = bom["components"][0]["bom-ref"]
    wrong = [{"alg": "SHA-256", "content": "0" * 64}]
    cases = [
        (altered(bom, file, "type", "program"), "not CycloneDX 1.6"),
        (altered(bom, file, "hashes", wrong), "another file"),
        (altered(bom, first, "bom-ref", "gone"), f"{first} is depended on, but not listed"),
        (json.dumps({**bom, "dependencies": []}), f"nothing depends on {first}"),
        (altered(bom, bom["metadata"]["component"]["bom-ref"], "licenses", [{"expression": "No-License"}]), "No-License"),
    ]
    if crates := [reference for reference in known if "@" in reference and not reference.startswith("rust@")]:
        crate = next(reference for reference in sorted(crates) if reference.startswith("serde@"))
        cases.append((altered(bom, crate, "purl", "pkg:cargo/serd@1.0.0"), "the crates differ"))
        cases.append((altered(bom, crate, "licenses", []), f"{crate} has no license"))
    for text, expected in cases:
        found = list(faults(text, directory))
        if not any(expected in fault for fault in found):
            yield f"an altered list should have the fault {expected!r}, but has {found}"


def main(file, directory):
    text, directory = pathlib.Path(file).read_text(encoding="utf-8"), pathlib.Path(directory)
    found = list(faults(text, directory)) or list(unnoticed(text, directory))
    if found:
        sys.exit("\n".join(found))


main(*sys.argv[1:])
