kb_rag.keyword_keys(tsv, length, {length}::float8, {heading_weight}::float8, {title_weight}::float8)
