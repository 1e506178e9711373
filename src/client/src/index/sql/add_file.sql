-- A file has one document, also where its kind is named differently this time.
WITH renamed AS (
    DELETE FROM {schema}.document WHERE source_id = $7 AND source_key = $4 AND source_type <> $8
)
SELECT {extension}.kb_add_file(knowledge_base => $1, file => $2, filename => $3, source_key => $4, metadata => $5, language => $6,
    source_id => $7, source_type => $8)
