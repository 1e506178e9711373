#!/bin/sh
# Installs the model @MODEL@ for kb_rag into an existing PostgreSQL. Needs write access to its share directory.
# usage: ./install.sh [PG_CONFIG]     default: pg_config in the PATH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

pg_config=${1:-$(command -v pg_config || true)}
[ -n "$pg_config" ] || fail "no pg_config found: give its path: ./install.sh /path/to/pg_config"
version=$("$pg_config" --version 2>/dev/null) || fail "$pg_config does not run"
share=$("$pg_config" --sharedir)
[ -d "$share" ] || fail "$share is missing: is the server of $version installed?"
[ -w "$share" ] || fail "$share is not writable: run this as its owner, for example with sudo"

into=$share/kb_rag/models/@MODEL@
# The Debian package of kb_rag has a link here, which leads nowhere while that of the model is not installed.
[ -e "$into" ] || rm -f "$into"
install -d "$share/kb_rag" "$share/kb_rag/models" "$into"
# install(1) replaces files by new ones: running servers keep the old ones mapped.
install -m 0644 "$here/models/@MODEL@"/* "$into/"
printf 'The model local/@MODEL@ is installed in %s.\n' "$into"

kb_rag=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$share/extension/kb_rag.control" 2>/dev/null || true)
if [ -z "$kb_rag" ]; then
    printf 'Still missing: kb_rag @VERSION@ or later.\n'
elif [ "$(printf '%s\n%s\n' "@VERSION@" "$kb_rag" | sort -V | head -n 1)" != "@VERSION@" ]; then
    printf 'Still missing: kb_rag @VERSION@ or later; %s is installed.\n' "$kb_rag"
fi
