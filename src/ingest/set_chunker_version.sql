UPDATE {schema}.document SET chunker_version = $2 WHERE id = ANY ($1)
