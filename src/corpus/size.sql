-- The owner of the base may write NULL, negative or huge numbers here; kb_reconcile corrects them.
SELECT text_config, least(greatest(coalesce(sum(chunks), 0), 0), 1e15)::int8 AS chunks, least(greatest(coalesce(sum(length), 0), 0), 1e15)::int8 AS length,
    least(greatest(coalesce(sum(changes), 0), 0), 1e15)::int8 AS changes
FROM {schema}.corpus
WHERE text_config IS NOT NULL
GROUP BY text_config
ORDER BY text_config
