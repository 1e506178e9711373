SELECT pg_catalog.string_agg(
    '''' || pg_catalog.replace(pg_catalog.replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')
FROM pg_catalog.unnest(pg_catalog.tsvector_to_array(pg_catalog.to_tsvector($1::regconfig, $2))) AS lexeme
