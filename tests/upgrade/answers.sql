-- The answers of the bases of bases.sql, with everything that an upgrade could change: chunks, scores, counts, privileges.
SELECT concat_ws(' ', mode, q, chunk_id, title, score, similarity, keyword_score)
FROM unnest(ARRAY['cats and dogs', 'number 77', 'more animals', 'Katzen', '"number 12"']) q, unnest(ARRAY['hybrid', 'semantic', 'keyword']) mode,
    kb_search(q, 'notes', mode, 5, syntax => 'web');
SELECT concat_ws(' ', title, score) FROM kb_hybrid_search('how do refunds work?', 'handbook');
SELECT concat_ws(' ', title, score) FROM kb_hybrid_search('number 30', agent_id => 'a0000000-0000-0000-0000-00000000000a');
SELECT concat_ws(' ', name, owner, model) FROM kb_list() ORDER BY name;
-- For a base outside the caller's circle the view shows stored statistics, which a process counts at some later time.
-- So each base is queried by its owner.
SELECT concat_ws(' ', knowledge_base, documents, indexed, chunks, embedded, model_variants::text) FROM kb_rag.status
WHERE note IS NULL ORDER BY 1;
SET ROLE move_owner;
SELECT concat_ws(' ', knowledge_base, documents, indexed, chunks, embedded, model_variants::text) FROM kb_rag.status
WHERE note IS NULL ORDER BY 1;
RESET ROLE;
SELECT concat_ws(' ', id, tier, sign, chunks, length, configs, first, last, runs, version, md5(data)) FROM kb_notes.keyword_segment ORDER BY keyword_segment.id;
SELECT concat_ws(' ', segment, lexeme, ordinal, md5(data)) FROM kb_notes.keyword_run ORDER BY segment, keyword_run.lexeme, ordinal;
SELECT concat_ws(' ', sum(sign * chunks), sum(sign * length)) FROM kb_notes.keyword_segment;
SET ROLE move_reader;
SELECT concat_ws(' ', 'reader', name) FROM kb_list();
SELECT concat_ws(' ', 'reader', title) FROM kb_hybrid_search('when does my parcel arrive?', match_count => 1);
RESET ROLE;
