-- An UPDATE would leave a row in its page if that has room.
WITH moved AS (
    DELETE FROM {schema}.keyword_run WHERE ctid >= format('(%s,0)', $1)::tid AND segment = ANY ($2)
    RETURNING segment, lexeme, ordinal, data
)
INSERT INTO {schema}.keyword_run (segment, lexeme, ordinal, data)
SELECT segment, lexeme, ordinal, data FROM moved
