-- Another index begins with the same column.
DROP INDEX {schema}.chunk_document_id
