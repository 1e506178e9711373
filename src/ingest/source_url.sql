CASE WHEN d.source_key ~ '^https?://' THEN d.source_key END
