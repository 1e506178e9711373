# Where the project is published: names and addresses, all of them here. Sourced by scripts in dev/; sets variables only.
# Nothing is published by a build. Empty: not published yet.

# The packages of the clients, as in clients/python/pyproject.toml and clients/js/package.json.
PYPI_NAME=kb-rag-client
NPM_NAME=kb-rag-client
# Web addresses, without a slash at the end.
PROJECT_URL=
SOURCE_URL=
ISSUES_URL=
MANUAL_URL=
