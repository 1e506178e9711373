-- As supabase.sql.
CREATE {or_replace} FUNCTION {name}(query_text text, match_count integer DEFAULT NULL)
RETURNS TABLE (id uuid, content text, metadata jsonb, similarity double precision)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
AS {body}
