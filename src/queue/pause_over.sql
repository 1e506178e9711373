DELETE FROM kb_rag.pause WHERE target IN ($1, split_part($1, '/', 1), $2) AND until <= clock_timestamp()
