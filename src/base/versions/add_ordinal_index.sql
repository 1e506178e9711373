-- For tables of kb_rag 0.3, whose index lacks the second column.
CREATE INDEX chunk_document_id_ordinal ON {schema}.chunk (document_id, ordinal)
