EXISTS (
        SELECT FROM {schema}.chunk c JOIN {schema}.document d ON d.id = c.document_id WHERE c.id = e.chunk_id
    )
