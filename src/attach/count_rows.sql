SELECT count(*) FROM (SELECT FROM {table} LIMIT {max}) r
