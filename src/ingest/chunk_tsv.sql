kb_rag.chunk_tsv(l.config::regconfig, pg_catalog.left(d.title, {prefix}), pg_catalog.left(u.heading, {prefix}), {text}, {format}, {fold_accents})
