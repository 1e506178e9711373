INSERT INTO {schema}.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) OVERRIDING SYSTEM VALUE
VALUES ({id}, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11)
RETURNING id
