# The program kb-rag in packages: with the server's, and alone. Sourced by dev/package.

# collect_program DIRECTORY: the program with its manual pages and completions.
collect_program() {
    install -d "$1/bin"
    install -m 0755 "$(staged_files)$("$PG_CONFIG" --bindir)/kb-rag" "$1/bin"
    "$TARGET/release/kb-rag-manual" "$1"
}

# debian_program ROOT LIBRARY SHARE COMPLETIONS PRIORITY: puts the program of $work/files into these directories. /usr/bin/kb-rag,
# its pages and completions are links to those of one package: packages of several majors can be installed at once, and kb-rag
# alone with them.
debian_program() {
    local root=$1 library=$2 share=$3 completions=$4 files=$work/files page slaves=
    install -d "$root/DEBIAN" "$root/$library/bin" "$root/$share/man/man1" "$root/$completions"
    install -m 0755 "$files/bin/kb-rag" "$root/$library/bin"
    for page in "$files"/man1/*.1; do
        page=${page##*/}
        gzip -n9 <"$files/man1/$page" >"$root/$share/man/man1/$page.gz"
        slaves+=" \\
        --slave /usr/share/man/man1/$page.gz $page.gz /$share/man/man1/$page.gz"
    done
    install -m 0644 -t "$root/$completions" "$files"/completions/*
    # Images of containers may lack the directories of the links, but not what the links lead to.
    cat >"$root/DEBIAN/postinst" <<POSTINST
#!/bin/sh
set -e
if [ "\$1" = configure ]; then
    for directory in man/man1 bash-completion/completions zsh/vendor-completions fish/vendor_completions.d; do
        mkdir -p "\${DPKG_ROOT:-}/usr/share/\$directory"
    done
    update-alternatives --install /usr/bin/kb-rag kb-rag /$library/bin/kb-rag $5$slaves \\
        --slave /usr/share/bash-completion/completions/kb-rag kb-rag.bash /$completions/kb-rag.bash \\
        --slave /usr/share/zsh/vendor-completions/_kb-rag _kb-rag /$completions/_kb-rag \\
        --slave /usr/share/fish/vendor_completions.d/kb-rag.fish kb-rag.fish /$completions/kb-rag.fish
fi
POSTINST
    cat >"$root/DEBIAN/prerm" <<PRERM
#!/bin/sh
set -e
if [ "\$1" = remove ] || [ "\$1" = deconfigure ]; then
    update-alternatives --remove kb-rag /$library/bin/kb-rag
fi
PRERM
    chmod 0755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
}

# collect_client DIRECTORY
collect_client() {
    local glibc
    rm -rf "$1"
    collect_program "$1"
    dev/glibc "$1/bin/kb-rag"
    strip --strip-debug "$1/bin/kb-rag"
    install -m 0644 -t "$1" LICENSE
    python3 dev/third_party.py kb-rag >"$1/THIRD-PARTY.txt"
    sbom kb-rag "$1"
    glibc=$(needed_glibc "$1/bin/kb-rag")
    sed -e "s/@GLIBC@/$glibc/g" -e "s/@MACHINE@/$machine/g" -e "s/@VERSION@/$shown_version/g" dev/package_install_client.sh >"$1/install.sh"
    chmod 0755 "$1/install.sh"
}

debian_client() {
    local root=$work/deb files=$work/files package=kb-rag
    rm -rf "$root"
    debian_program "$root" usr/lib/kb-rag usr/share/kb-rag usr/share/kb-rag/completions 1000
    install -d "$root/usr/share/doc/$package"
    install -D -m 0644 "$files/sbom.cdx.json" "$root/usr/share/kb-rag/sbom/$package.cdx.json"
    install -m 0644 -t "$root/usr/share/doc/$package" "$files/THIRD-PARTY.txt"
    install -m 0644 "$files/LICENSE" "$root/usr/share/doc/$package/copyright"
    cat >"$root/DEBIAN/control" <<CONTROL
Package: $package
Version: $debian_version
Architecture: $architecture
$(debian_fields)
Installed-Size: $(installed_size "$root")
Depends: libc6 (>= $(needed_glibc "$files/bin/kb-rag")), libgcc-s1
Description: client program of the PostgreSQL extension kb_rag
 Loads files into knowledge bases on a server, serves them to models and applications by MCP and HTTP,
 and measures them. No server is needed on the same machine; each postgresql-*-kb-rag has the program, too.
CONTROL
    build_debian "$root" "${package}_${debian_version}_$architecture"
}
