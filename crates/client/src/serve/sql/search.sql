-- The words of the query are marked by two characters of the private use area, which are removed from the text first.
SELECT pg_catalog.json_build_object('results', coalesce(pg_catalog.json_agg(k.entry ORDER BY k.place), '[]'))::pg_catalog.text
FROM (
    SELECT s.ordinality AS place, (
        SELECT pg_catalog.row_to_json(r)
        FROM (
            SELECT s.chunk_id, s.document_id, s.knowledge_base, s.title, s.source, s.source_type, s.content,
                (
                    SELECT pg_catalog.to_json(h) OPERATOR(pg_catalog.->>) 'snippet'
                    FROM {highlight}(pg_catalog.translate(s.content, U&'\E000\E001', ''), $1, s.knowledge_base, NULL::pg_catalog.int8,
                        U&'\E000', U&'\E001', coalesce($10, 'plain'), s.metadata OPERATOR(pg_catalog.->>) 'language') h
                ) AS highlighted,
                s.score, s.similarity, s.semantic_rank, s.keyword_score, s.keyword_rank, s.metadata, s.heading, s.page, s.ordinal,
                s.start_char, s.end_char,
                -- Not columns of an older catalog.
                pg_catalog.to_json(s) OPERATOR(pg_catalog.->) 'relevance' AS relevance,
                pg_catalog.to_json(s) OPERATOR(pg_catalog.->>) 'context' AS context,
                pg_catalog.to_json(s) OPERATOR(pg_catalog.->>) 'snippet' AS snippet,
                pg_catalog.to_json(s) OPERATOR(pg_catalog.->) 'duplicates' AS duplicates
        ) r) AS entry
    -- Those that are skipped are asked for, too, where an older catalog has no match_offset.
    FROM {search}(query => $1, knowledge_base => $2, mode => $3, match_count => coalesce($4, 5) + {skipped}, source_type => $5, filter => $6::pg_catalog.jsonb,
            match_threshold => $7, agent_id => CASE WHEN $8 IS NOT NULL THEN {extension}.kb_agent($8) END,
            max_per_document => $9, syntax => $10{shape}) WITH ORDINALITY s
    -- The call leaves out the last four parameters if the catalog is older and does not know them.
    WHERE s.ordinality > {skipped}
        AND pg_catalog.num_nulls($12::pg_catalog.int8, $13::pg_catalog.text[], $14::pg_catalog.text, $15::pg_catalog.text) >= 0
) k
