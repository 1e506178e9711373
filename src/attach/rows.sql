-- The present rows of some keys: statements of triggers may have changed them meanwhile. In key order, so that all sessions
-- lock documents in the same order.
SELECT k.key, {values_of_t}
FROM (
    SELECT DISTINCT ON ({key_of_k} COLLATE "C") {key_of_k} AS key, k.*
    FROM ({touched}) k
    ORDER BY {key_of_k} COLLATE "C"
) k
-- Values of a key may be equal with another text, such as 1.0 and 1.00.
LEFT JOIN {table} t ON {same_key} AND {key_of_t} = k.key
WHERE k.key IS NOT NULL
ORDER BY k.key COLLATE "C"
