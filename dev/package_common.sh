# What packages have in common. Sourced by dev/package after common.sh.
. "${KB_RAG_PROJECT:-$ROOT/dev/project.sh}"
export PROJECT_URL SOURCE_URL ISSUES_URL
cd "$ROOT"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
packages=${KB_RAG_PACKAGES:-$TARGET/packages}
# Not exported globally: cargo builds pgrx again when it changes.
dated=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# Debian's order of versions: what is not released is older than the release.
if [ -n "${RELEASE:-}" ]; then
    dev/project released
    dev/project check
    shown_version=$version debian_version=$version-1 maintainer="$MAINTAINER_NAME <$MAINTAINER_ADDRESS>"
else
    shown_version="$version (unreleased)" debian_version=$version-1~unreleased maintainer="unreleased <unreleased@localhost>"
fi

# The oldest glibc with every symbol that these files need.
needed_glibc() { objdump -T "$@" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1 | cut -d _ -f 2; }

# sbom WHAT DIRECTORY: writes there what its files are made of.
sbom() {
    python3 dev/sbom.py "$1" "$version" "$dated" "$2" >"$work/sbom.json"
    install -m 0644 "$work/sbom.json" "$2/sbom.cdx.json"
}

# archive DIRECTORY: packs its contents into a sorted tar.
archive() {
    tar -C "$1" --sort=name --mtime="@$dated" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf - "${@:2}"
}

# tarball NAME: packs the collected files.
tarball() {
    rm -rf "$work/tar"
    mkdir -p "$work/tar"
    cp -R "$work/files" "$work/tar/$1"
    archive "$work/tar" "$1" | gzip -n9 >"$packages/$1.tar.gz"
    say "   $packages/$1.tar.gz"
}

# build_debian ROOT NAME: adds the checksums and builds NAME.deb in place of what an earlier build made of the package.
build_debian() {
    rm -f "$packages/${2%%_*}"_*"_${2##*_}.deb"
    (cd "$1" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
    chmod -R go=rX,u+rw "$1"
    SOURCE_DATE_EPOCH=$dated dpkg-deb --root-owner-group -Zgzip --build "$1" "$packages/$2.deb" >/dev/null
    say "   $packages/$2.deb"
}

# installed_size ROOT: in kB.
installed_size() { du -sk --apparent-size --exclude=DEBIAN "$1" | cut -f 1; }

# debian_fields: the lines of DEBIAN/control that are the same in all packages.
debian_fields() {
    printf 'Maintainer: %s\nSection: database\nPriority: optional\n' "$maintainer"
    [ -z "${PROJECT_URL:-$SOURCE_URL}" ] || printf 'Homepage: %s\n' "${PROJECT_URL:-$SOURCE_URL}"
}
