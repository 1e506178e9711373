-- Whether a subscription writes the table of documents $1, but neither chunks $2 nor vectors $3.
SELECT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = $1)
    AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = ANY (ARRAY[$2, $3]))
