UPDATE {schema}.document
SET status = $2, error_message = $3, indexed_at = CASE $2 WHEN 'indexed' THEN now() END
WHERE id = ANY ($1) AND (status, error_message) IS DISTINCT FROM ($2, $3)
