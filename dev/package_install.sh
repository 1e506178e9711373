#!/bin/sh
# Installs kb_rag into an existing PostgreSQL @MAJOR@. Needs no compiler, but write access to the directories of
# PostgreSQL.
# usage: ./install.sh [PG_CONFIG]     default: pg_config in the PATH, or Debian's for PostgreSQL @MAJOR@
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

pg_config=${1:-}
if [ -z "$pg_config" ]; then
    pg_config=$(command -v pg_config || true)
    [ ! -x /usr/lib/postgresql/@MAJOR@/bin/pg_config ] || pg_config=/usr/lib/postgresql/@MAJOR@/bin/pg_config
fi
[ -n "$pg_config" ] || fail "no pg_config found: give the path of that of PostgreSQL @MAJOR@: ./install.sh /path/to/pg_config"
version=$("$pg_config" --version 2>/dev/null) || fail "$pg_config does not run"
case "$version" in
"PostgreSQL @MAJOR@" | "PostgreSQL @MAJOR@."* | "PostgreSQL @MAJOR@ "*) ;;
*) fail "these files are for PostgreSQL @MAJOR@, but $pg_config belongs to $version" ;;
esac
[ "$(uname -m)" = "@MACHINE@" ] || fail "these files are for @MACHINE@, but this machine is $(uname -m)"
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc //') || true
[ -n "$glibc" ] || fail "kb_rag needs glibc @GLIBC@ or later, but this system has another C library"
oldest=$(printf '%s\n%s\n' "@GLIBC@" "$glibc" | sort -V | head -n 1)
[ "$oldest" = "@GLIBC@" ] || fail "kb_rag needs glibc @GLIBC@ or later, but this system has $glibc"

library=$("$pg_config" --pkglibdir)
share=$("$pg_config" --sharedir)
bin=$("$pg_config" --bindir)
for directory in "$library" "$share" "$share/extension" "$bin"; do
    [ -d "$directory" ] || fail "$directory is missing: is the server of PostgreSQL @MAJOR@ installed?"
    [ -w "$directory" ] || fail "$directory is not writable: run this as its owner, for example with sudo"
done

# install(1) replaces files by new ones: running servers keep the old ones mapped.
install -m 0755 "$here/lib/kb_rag.so" "$library/kb_rag.so"
install -m 0755 "$here/lib/kb-rag-extract" "$library/kb-rag-extract"
install -m 0755 "$here/bin/kb-rag" "$bin/kb-rag"
install -m 0644 "$here"/extension/* "$share/extension/"
for model in "$here"/models/*; do
    install -d "$share/kb_rag" "$share/kb_rag/models" "$share/kb_rag/models/${model##*/}"
    install -m 0644 "$model"/* "$share/kb_rag/models/${model##*/}/"
done
install -d "$share/kb_rag" "$share/kb_rag/completions"
install -m 0644 "$here/sbom.cdx.json" "$share/kb_rag/"
install -m 0644 "$here"/completions/* "$share/kb_rag/completions/"
man=$("$pg_config" --mandir)/man1
if install -d "$man" 2>/dev/null && [ -w "$man" ]; then
    install -m 0644 "$here"/man1/* "$man/"
else
    printf 'The manual pages of kb-rag are not installed: %s is not writable.\n' "$man"
fi
printf 'kb_rag @VERSION@ is installed in %s and %s, and the program kb-rag in %s.\n' "$library" "$share" "$bin"

vector=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$share/extension/vector.control" 2>/dev/null || true)
case "$vector" in
"") printf 'Still missing: pgvector 0.8.0 or later (Debian: postgresql-@MAJOR@-pgvector).\n' ;;
0.[0-7].*) printf 'Still missing: pgvector 0.8.0 or later; %s is installed.\n' "$vector" ;;
esac
printf 'Then run in each database: CREATE EXTENSION kb_rag CASCADE, or if the extension exists already: ALTER EXTENSION kb_rag UPDATE.\n'
