-- Deletes all rows if one is impossible, so that they are counted again. $1 chunks were ever added or deleted.
DELETE FROM {schema}.term
WHERE EXISTS (
    SELECT FROM {schema}.term
    WHERE (chunks >= 0 AND chunks <= of_chunks AND of_changes >= 0 AND of_changes <= $1) IS NOT TRUE
)
