-- Tables of a pending model in the schema $1, known by their names and comments. A dump that was made during a change leaves them.
SELECT c.relname::text
FROM pg_class c
WHERE c.relnamespace = $1 AND c.relkind = 'r' AND c.relname ~ '^(embedding|chunk)_[0-9]+$'
    AND obj_description(c.oid, 'pg_class') = ANY ('{"the vector of each chunk",
        "the chunks of documents that the pending model cuts differently; they become rows of chunk with its vectors"}')
    AND EXISTS (SELECT FROM pg_class d WHERE d.relnamespace = $1 AND d.relname = 'document' AND d.relowner = c.relowner)
ORDER BY c.relname
