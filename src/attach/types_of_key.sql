, CASE WHEN $12 THEN (
    SELECT array_agg(format_type(a.atttypid, NULL) ORDER BY k.place)
    FROM ROWS FROM (unnest($5::text[]), unnest($8::int4[])) WITH ORDINALITY AS k (use, number, place)
    JOIN pg_attribute a ON a.attrelid = $4::oid AND a.attnum = k.number
    WHERE k.use = 'key'
) END
