-- Two imports at the same time add a question once. The lock ends with the transaction.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('kb-rag questions import ' || $1, 0))
