-- The rows of some keys as they are now, which statements of triggers may have changed meanwhile. In the order of their
-- keys, so that all lock documents in the same one.
SELECT k.key, {values_of_t}
FROM (
    SELECT DISTINCT ON ({key_of_k} COLLATE "C") {key_of_k} AS key, k.*
    FROM ({touched}) k
    ORDER BY {key_of_k} COLLATE "C"
) k
LEFT JOIN {table} t ON {same_key}
WHERE k.key IS NOT NULL
ORDER BY k.key COLLATE "C"
