-- The document frequencies that a large base stores for its common lexemes, scaled to $1 chunks.
SELECT lexeme, chunks * $1::int8 / of_chunks::float8 FROM {schema}.term WHERE lexeme <> '' AND of_chunks > 0
