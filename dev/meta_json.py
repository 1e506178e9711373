"""Prints META.json, which describes the sources to PGXN, or checks one by PGXN's Meta Spec 1.0.0.

usage: meta_json.py VERSION MAINTAINER STATUS     with the addresses of the environment, as dev/package_common.sh has them
       meta_json.py check FILE [DIRECTORY]        DIRECTORY: of the files that it names
"""

import json
import os
import pathlib
import re
import sys

SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?"
)
TERM = re.compile(r"[^\s/\\\x00-\x1f\x7f]{2,}")
TAG = re.compile(r"[^/\\\x00-\x1f\x7f]{2,255}")
URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/]+(/\S*)?")
EMAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+")
LICENSES = set(
    "agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0 mit"
    " mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown".split()
)


def describe(version, maintainer, status):
    cargo = pathlib.Path("Cargo.toml").read_text(encoding="utf-8")
    oldest = min(int(major) for major in re.findall(r"^pg(\d+) = ", cargo, re.M))
    control = pathlib.Path("kb_rag.control").read_text(encoding="utf-8")
    abstract = re.search(r"^comment = '(.*)'$", control, re.M)[1]
    source = os.environ.get("SOURCE_URL")
    issues = os.environ.get("ISSUES_URL") or (source and source + "/issues")
    homepage = os.environ.get("PROJECT_URL") or source
    meta = {
        "name": "kb_rag",
        "abstract": abstract,
        "description": "Knowledge bases in the database: INSERT and COPY chunk and embed documents, and one function searches them by"
        " meaning and by keyword. A sentence model runs in the server, without network or API key.",
        "version": version,
        "maintainer": maintainer,
        "license": "postgresql",
        "release_status": status,
        "provides": {
            "kb_rag": {"abstract": abstract, "file": "kb_rag.control", "docfile": "docs/reference.md", "version": version}
        },
        "prereqs": {"runtime": {"requires": {"PostgreSQL": f"{oldest}.0.0", "vector": "0.8.0"}}},
        "tags": ["vector", "search", "full text search", "embeddings", "retrieval", "RAG"],
        "generated_by": "dev/meta_json.py",
        "meta-spec": {"version": "1.0.0", "url": "https://pgxn.org/meta/spec.txt"},
    }
    if source:
        meta["resources"] = {
            "homepage": homepage,
            "bugtracker": {"web": issues},
            "repository": {"url": source + ".git", "web": source, "type": "git"},
        }
    return meta


class Check:
    """Collects what differs from the specification."""

    def __init__(self):
        self.faults = []

    def that(self, holds, fault):
        if not holds:
            self.faults.append(fault)
        return holds

    def string(self, value, where, pattern=None):
        if self.that(isinstance(value, str) and value, f"{where} is no text") and pattern:
            self.that(pattern.fullmatch(value), f"{where} is not in the form that is prescribed: {value!r}")

    def fields(self, value, where, required, optional):
        """An object with these keys, and with keys that begin with x_."""
        if not self.that(isinstance(value, dict), f"{where} is no object"):
            return {}
        for key in required:
            self.that(key in value, f"{where} lacks {key}")
        own = {key: value[key] for key in value if not re.match("[xX]_.", key)}
        for key in own:
            self.that(key in required or key in optional, f"{where} has {key}, which is not specified")
        self.that(required or own, f"{where} is empty")
        return own

    def strings(self, value, where, pattern=None):
        """A text, or a list of different texts."""
        values = value if isinstance(value, list) else [value]
        self.that(values and len(set(map(str, values))) == len(values), f"{where} is empty or names something twice")
        for one in values:
            self.string(one, where, pattern)

    def meta(self, meta):
        own = self.fields(
            meta,
            "META.json",
            ["abstract", "license", "maintainer", "meta-spec", "name", "provides", "version"],
            ["description", "generated_by", "no_index", "prereqs", "release_status", "resources", "tags"],
        )
        for key in own.keys() & {"abstract", "description", "generated_by"}:
            self.string(own[key], key)
        for key, pattern in {"name": TERM, "version": SEMVER}.items():
            self.string(own.get(key), key, pattern)
        self.strings(own.get("maintainer"), "maintainer")
        self.license(own.get("license"))
        spec = self.fields(own.get("meta-spec"), "meta-spec", ["version"], ["url"])
        self.string(spec.get("version"), "meta-spec.version", re.compile(r"1\.0\.\d+"))
        if "url" in spec:
            self.string(spec["url"], "meta-spec.url", re.compile(r"https?://pgxn\.org/meta/spec\.txt"))
        self.provides(own.get("provides"))
        self.that(own.get("release_status", "stable") in ("stable", "testing", "unstable"), "release_status is none of the three")
        if "tags" in own:
            self.that(isinstance(own["tags"], list), "tags is no list")
            self.strings(own["tags"], "tags", TAG)
        if "no_index" in own:
            for key, paths in self.fields(own["no_index"], "no_index", [], ["file", "directory"]).items():
                self.strings(paths, f"no_index.{key}")
        if "prereqs" in own:
            self.prereqs(own["prereqs"])
        if "resources" in own:
            self.resources(own["resources"])

    def license(self, value):
        if isinstance(value, dict):
            self.that(value, "license is empty")
            for name, url in value.items():
                self.string(url, f"license.{name}", URL)
            return
        self.strings(value, "license")
        for one in value if isinstance(value, list) else [value]:
            self.that(str(one) in LICENSES, f"license {one!r} is none that PGXN knows")

    def provides(self, value):
        if not self.that(isinstance(value, dict) and value, "provides names no extension"):
            return
        for name, extension in value.items():
            self.string(name, "a name in provides", TERM)
            own = self.fields(extension, f"provides.{name}", ["file", "version"], ["abstract", "docfile"])
            self.string(own.get("version"), f"provides.{name}.version", SEMVER)
            for key in own.keys() & {"abstract", "docfile", "file"}:
                self.string(own[key], f"provides.{name}.{key}")

    def prereqs(self, value):
        one = rf"((==|!=|<=?|>=?)\s*)?({SEMVER.pattern}|0)"
        versions = re.compile(rf"{one}(\s*,\s*{one})*")
        for phase, kinds in self.fields(value, "prereqs", [], ["configure", "build", "test", "runtime", "develop"]).items():
            where = f"prereqs.{phase}"
            for kind, names in self.fields(kinds, where, [], ["requires", "recommends", "suggests", "conflicts"]).items():
                if not self.that(isinstance(names, dict) and names, f"{where}.{kind} is empty"):
                    continue
                for name, version in names.items():
                    self.string(name, f"a name in {where}.{kind}", TERM)
                    if version != 0:
                        self.string(version, f"{where}.{kind}.{name}", versions)

    def resources(self, value):
        own = self.fields(value, "resources", [], ["homepage", "bugtracker", "repository"])
        if "homepage" in own:
            self.string(own["homepage"], "resources.homepage", URL)
        if "bugtracker" in own:
            for key, one in self.fields(own["bugtracker"], "resources.bugtracker", [], ["web", "mailto"]).items():
                self.string(one, f"resources.bugtracker.{key}", EMAIL if key == "mailto" else URL)
        if "repository" in own:
            repository = self.fields(own["repository"], "resources.repository", [], ["url", "web", "type"])
            for key, one in repository.items():
                self.string(one, f"resources.repository.{key}", re.compile("[a-z]+") if key == "type" else URL)
            self.that("web" in repository or {"url", "type"} <= repository.keys(), "resources.repository has no address")


def faults(meta, directories):
    """What differs from the specification, and which files are not in the directories."""
    check = Check()
    check.meta(meta)
    for directory in directories:
        for name, extension in meta.get("provides", {}).items():
            for key in extension.keys() & {"file", "docfile"}:
                is_there = os.path.isfile(os.path.join(directory, str(extension[key])))
                check.that(is_there, f"provides.{name}.{key}: there is no {extension[key]}")
    return check.faults


def main(arguments):
    if arguments[:1] != ["check"]:
        print(json.dumps(describe(*arguments), indent=2, ensure_ascii=False))
        return
    with open(arguments[1], encoding="utf-8") as file:
        found = faults(json.load(file), arguments[2:])
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main(sys.argv[1:])
