#!/bin/sh
# Installs the program kb-rag with its manual pages and completions. Needs write access below PREFIX.
# usage: ./install.sh [PREFIX]     default: /usr/local
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

prefix=${1:-/usr/local}
[ -d "$prefix" ] || fail "$prefix: no such directory"
[ -w "$prefix" ] || fail "$prefix is not writable: run this as its owner, for example with sudo"
[ "$(uname -m)" = "@MACHINE@" ] || fail "this program is for @MACHINE@, but this machine is $(uname -m)"
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc //') || true
[ -n "$glibc" ] || fail "kb-rag needs glibc @GLIBC@ or later, but this system has another C library"
oldest=$(printf '%s\n%s\n' "@GLIBC@" "$glibc" | sort -V | head -n 1)
[ "$oldest" = "@GLIBC@" ] || fail "kb-rag needs glibc @GLIBC@ or later, but this system has $glibc"

# into DIRECTORY FILE…
into() {
    directory=$prefix/$1
    shift
    install -d "$directory"
    install -m 0644 "$@" "$directory/"
}
install -d "$prefix/bin"
install -m 0755 "$here/bin/kb-rag" "$prefix/bin/kb-rag"
into share/man/man1 "$here"/man1/*
into share/zsh/site-functions "$here/completions/_kb-rag"
into share/fish/vendor_completions.d "$here/completions/kb-rag.fish"
install -d "$prefix/share/bash-completion/completions"
install -m 0644 "$here/completions/kb-rag.bash" "$prefix/share/bash-completion/completions/kb-rag"
printf 'kb-rag @VERSION@ is installed in %s/bin.\n' "$prefix"
