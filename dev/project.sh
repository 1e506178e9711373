# The project's names and addresses, all of them here: packages, META.json, images and pages take them from here. Sourced
# by scripts in dev/; sets variables only. Nothing is published by a build. Empty: not published yet.

# The packages of the clients, as in clients/python/pyproject.toml and clients/js/package.json.
PYPI_NAME=kb-rag-client
NPM_NAME=kb-rag-client
# A release needs these three: make package RELEASE=1 fails while one is empty, other builds say "unreleased".
# Name and e-mail address of the maintainer; vulnerabilities are reported to the address.
MAINTAINER_NAME=
MAINTAINER_ADDRESS=
# Web addresses, without a slash at the end. That of the repository is SOURCE_URL.
SOURCE_URL=
# Empty: what SOURCE_URL shows has to do.
PROJECT_URL=
ISSUES_URL=
MANUAL_URL=
