SELECT cardinality(f.numbers)
FROM (SELECT {numbers} AS numbers FROM {table} LIMIT 1000) f
WHERE f.numbers IS NOT NULL
LIMIT 1
