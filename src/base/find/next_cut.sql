k.next_chunk_size, k.next_chunk_overlap, k.next_chunk_unit, k.next_chunk_strategy
