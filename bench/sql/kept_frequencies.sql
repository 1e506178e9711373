-- The document frequencies that a large base keeps of its common lexemes, for $1 passages.
SELECT lexeme, chunks * $1::int8 / of_chunks::float8 FROM {schema}.term WHERE lexeme <> '' AND of_chunks > 0
