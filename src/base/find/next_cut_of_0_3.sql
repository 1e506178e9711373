NULL::pg_catalog.int4 AS next_chunk_size, NULL::pg_catalog.int4 AS next_chunk_overlap, NULL::pg_catalog.text AS next_chunk_unit,
    NULL::pg_catalog.text AS next_chunk_strategy
