-- The keys of $1 that have a row with text. Compared as text: the key of a document may be invalid input for the type.
SELECT r.key
FROM (SELECT {key_of_t} FROM {table} t WHERE {has_text}) r (key)
WHERE r.key COLLATE "C" IN (SELECT k.key COLLATE "C" FROM unnest($1) AS k (key))
