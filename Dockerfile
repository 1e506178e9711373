# PostgreSQL's image with the Debian package of kb_rag from target/packages, which `make package PG=18` makes: docs/docker.md.
FROM postgres:18-trixie

LABEL org.opencontainers.image.title="kb_rag" \
      org.opencontainers.image.description="PostgreSQL with kb_rag, and the program kb-rag" \
      org.opencontainers.image.licenses="PostgreSQL"

# Further local models, such as multilingual-e5-small, whose packages are in target/packages too.
ARG MODELS=""

# The package has its version in its name, and pgvector's is the repository's newest.
# hadolint ignore=DL3008
RUN --mount=type=bind,source=target/packages,target=/packages \
    set -eu; \
    architecture=$(dpkg --print-architecture); \
    set -- /packages/postgresql-18-kb-rag_*_"$architecture".deb; \
    for model in $MODELS; do set -- "$@" /packages/kb-rag-model-"$model"_*_all.deb; done; \
    for package in "$@"; do \
        [ -e "$package" ] || { echo "target$package is not there: run make package PG=18, for a model with MODELS=…" >&2; exit 1; }; \
    done; \
    apt-get update; \
    apt-get install --yes --no-install-recommends "$@"; \
    rm -rf /var/lib/apt/lists/*

COPY docker/kb-rag-secrets docker/kb-rag-init docker/kb-rag-health /usr/local/bin/
# What the entrypoint runs when it makes a new data directory.
RUN ln -s /usr/local/bin/kb-rag-init /docker-entrypoint-initdb.d/kb_rag.sh

HEALTHCHECK --interval=5s --timeout=5s --start-period=2m --retries=5 CMD ["kb-rag-health", "database"]
