UPDATE {schema}.document d
SET chunker_version = $1
WHERE d.chunker_version IS DISTINCT FROM $1 AND EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.document_id = d.id)
