, options = excluded.options || (
    SELECT coalesce(jsonb_object_agg(o.key, o.value), '{}')
    FROM jsonb_each(attached_table.options) o
    WHERE o.key = ANY ('{sets_mime_type,sets_language}')
), reading_since = NULL