, next_chunk_size = $7, next_chunk_overlap = $8, next_chunk_unit = $9, next_chunk_strategy = $10
