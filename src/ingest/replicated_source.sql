-- A row in place of the source $1, which is on the publisher, unless the table of sources is replicated too: documents refer to it.
INSERT INTO {schema}.source (id, kind, location, status)
SELECT $1, 'replicated', $1::text, 'indexed'
WHERE NOT EXISTS (SELECT FROM {schema}.source WHERE id = $1)
    AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = {source}::regclass)
ON CONFLICT DO NOTHING
