-- The keys of $1 that have a row with text. Compared as text: a document may have a key that the type does not read.
SELECT r.key
FROM (SELECT {key_of_t} FROM {table} t WHERE {content_of_t} <> '') r (key)
WHERE r.key COLLATE "C" IN (SELECT k.key COLLATE "C" FROM unnest($1) AS k (key))
