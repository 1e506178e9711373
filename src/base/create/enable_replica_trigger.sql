-- From then on it fires only for rows that arrive by logical replication.
ALTER TABLE {schema}.document ENABLE REPLICA TRIGGER kb_rag_replicated
