SELECT document_id, least(sum(octet_length(content)), 2147483647)::int AS content FROM {schema}.{chunks} GROUP BY document_id
