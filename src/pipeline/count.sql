-- Under row security only rows that the caller may see are counted, and there are no sizes. The keyword index is hidden from all but the owner.
SELECT d.documents, d.pending, d.indexed, d.failed, c.chunks, e.embedded, s.table_bytes, s.index_bytes, {unmerged} AS unmerged_segments,
    d.outdated, d.outdated_files
FROM (
    SELECT count(*) AS documents,
        count(*) FILTER (WHERE status = 'pending') AS pending,
        count(*) FILTER (WHERE status = 'indexed') AS indexed,
        count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE {read_before} OR {cut_before}) AS outdated,
        count(*) FILTER (WHERE {file_read_before}) AS outdated_files
    FROM {schema}.document d
) d,
(SELECT count(*) AS chunks FROM {schema}.chunk c WHERE {chunk_visible}) c,
(SELECT count(*) AS embedded FROM {schema}.embedding e WHERE {embedding_visible}) e,
(
    SELECT sum(pg_table_size(r.oid))::int8 AS table_bytes,
        sum(pg_indexes_size(r.oid))::int8 AS index_bytes
    FROM pg_class r
    WHERE r.relnamespace = {schema_name}::regnamespace AND r.relkind = 'r' AND {whole}
) s
