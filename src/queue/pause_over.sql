DELETE FROM kb_rag.pause WHERE target IN ($1, split_part($1, '/', 1)) AND until <= clock_timestamp()
