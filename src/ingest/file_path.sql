-- The key of a row of an attached table is not a path; the document's metadata has it.
        CASE WHEN d.source_key !~ '^https?://' AND (
            SELECT s.id FROM {schema}.source s WHERE s.id = {source_id} AND s.kind = 'table' LIMIT 1
        ) IS NULL THEN d.source_key END
