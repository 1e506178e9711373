CREATE UNIQUE INDEX chunk_keyword_number ON {schema}.chunk (keyword_number)
