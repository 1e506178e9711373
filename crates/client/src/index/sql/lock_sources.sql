-- Two runs that begin at the same time make one source. The lock ends with the transaction.
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('kb-rag index ' || $1, 0))
