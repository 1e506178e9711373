SELECT $1 FROM (SELECT {extension}.kb_configure(name => $1, description => $2, model => $3,
    dimensions => $4::pg_catalog.int4, chunk_size => $5::pg_catalog.int4, chunk_overlap => $6::pg_catalog.int4, chunk_unit => $7,
    chunk_strategy => $8, text_config => $9::pg_catalog.regconfig, ranker => $10, index_method => $11, embed => $12, bm25_k1 => $13,
    bm25_b => $14, title_weight => $15, heading_weight => $16, match_threshold => $17, fold_accents => $18, part_weight => $19,
    answer_threshold => $20, log_searches => $21, lexeme_format => $22::pg_catalog.int4, summaries => $23)) configured
