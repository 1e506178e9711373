# Packages of Debian without installing them: apt-get downloads with package lists of its own below $scratch, and checks Debian's signature.
# Sourced after common.sh, with $scratch set.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_begin: makes the lists' directories. Fails where packages of Debian cannot be had.
apt_begin() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ -e $keyring ] || return 1
    # apt-get drops root privileges for its downloads.
    chmod 755 "$scratch"
    mkdir -p "$scratch"/apt/lists/partial "$scratch"/apt/cache/archives/partial "$scratch/downloads"
    cat >"$scratch/apt/sources.list" <<LIST
deb [signed-by=$keyring] http://deb.debian.org/debian bookworm main
deb-src [signed-by=$keyring] http://deb.debian.org/debian trixie main
LIST
}

apt() {
    (cd "$scratch/downloads" && apt-get -qq -o Dir::Etc::SourceList="$scratch/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$scratch/apt/lists" -o Dir::Cache="$scratch/apt/cache" -o APT::Sandbox::User="$(id -un)" \
        -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false "$@") >&2
}
