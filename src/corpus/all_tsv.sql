SELECT tsv FROM {schema}.chunk
