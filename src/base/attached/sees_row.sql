SELECT true FROM {table} t WHERE {has_one_key} LIMIT 1
