-- As clients call it by rpc, with arguments by name. The body is supabase_body.sql.
CREATE {or_replace} FUNCTION {name}(query_embedding {vector}.vector, match_count integer DEFAULT NULL, filter jsonb DEFAULT '{}')
RETURNS TABLE (id uuid, content text, metadata jsonb, embedding {vector}.vector, similarity double precision)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10
AS {body}
