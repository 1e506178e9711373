-- The rows of segment $1 that hold its numbers: those that begin with the empty lexeme, or its only one.
SELECT s.data FROM {schema}.keyword_segment s WHERE s.id = $1 AND s.data IS NOT NULL
UNION ALL
(SELECT k.data FROM {schema}.keyword_run k WHERE k.segment = $1 AND k.lexeme = ''::bytea ORDER BY k.ordinal)
