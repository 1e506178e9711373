# The layout of an image volume for CloudNativePG: what its operator mounts below /extensions in the pods of a PostgreSQL 18, whose
# parameters extension_control_path and dynamic_library_path it sets. Sourced by dev/package.

# Before 18, PostgreSQL finds extensions in its own directories only.
MIN_VOLUME_MAJOR=18

# collect_volume FILES TREE: from the files of the server's package.
collect_volume() {
    local files=$1 tree=$2 licenses=$2/licenses/kb_rag
    rm -rf "$tree"
    install -d "$tree/lib" "$tree/share/extension" "$tree/share/kb_rag/models" "$licenses"
    install -m 0755 -t "$tree/lib" "$files/lib/kb_rag.so" "$files/lib/kb-rag-extract"
    install -m 0644 -t "$tree/share/extension" "$files"/extension/*
    cp -R "$files/models/$MODEL_NAME" "$tree/share/kb_rag/models"
    install -m 0644 -t "$licenses" "$files/LICENSE"
    python3 dev/third_party.py volume >"$licenses/THIRD-PARTY.txt"
    sbom server "$tree"
    python3 - "$major" "$version" "$machine" "$(needed_glibc "$files"/lib/*)" >"$tree/metadata.json" <<'PY'
import json, os, sys
major, version, machine, glibc = sys.argv[1:]
print(json.dumps({"metadata": {
    # As in the repository of CloudNativePG's own images: empty paths are the default ones, share and lib.
    "name": "kb_rag",
    "sql_name": "kb_rag",
    "image_name": "kb_rag",
    "licenses": ["PostgreSQL", "Apache-2.0"],
    "shared_preload_libraries": [],
    "postgresql_parameters": {},
    "extension_control_path": [],
    "dynamic_library_path": [],
    "ld_library_path": [],
    "bin_path": [],
    "env": {},
    "auto_update_os_libs": False,
    "required_extensions": ["pgvector"],
    "create_extension": True,
    "versions": {distribution: {major: {"package": version, "sql": version}} for distribution in ("bookworm", "trixie")},
    # What a cluster must have.
    "x_machine": machine,
    "x_glibc": glibc,
    "x_source": os.environ.get("SOURCE_URL", ""),
}}, indent=2))
PY
    cat >"$tree/Containerfile" <<CONTAINERFILE
# Makes the image, from this directory: docker build --file Containerfile --tag kb_rag:$version-$major .
FROM scratch
LABEL org.opencontainers.image.title="kb_rag" \\
      org.opencontainers.image.version="$shown_version" \\
      org.opencontainers.image.licenses="PostgreSQL AND Apache-2.0" \\
      org.opencontainers.image.vendor="$maintainer" \\
      org.opencontainers.image.source="$SOURCE_URL" \\
      org.opencontainers.image.description="knowledge bases inside PostgreSQL $major, as an image volume for CloudNativePG"
COPY lib /lib
COPY share /share
COPY licenses /licenses
COPY metadata.json sbom.cdx.json /
USER 65532:65532
CONTAINERFILE
}
