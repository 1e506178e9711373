-- What the bases of bases.sql answer, everything that a move could change: passages, scores, counts, rights.
SELECT concat_ws(' ', mode, q, chunk_id, title, score, similarity, keyword_score)
FROM unnest(ARRAY['cats and dogs', 'number 77', 'more animals', 'Katzen', '"number 12"']) q, unnest(ARRAY['hybrid', 'semantic', 'keyword']) mode,
    kb_search(q, 'notes', mode, 5);
SELECT concat_ws(' ', title, score) FROM kb_hybrid_search('how do refunds work?', 'handbook');
SELECT concat_ws(' ', title, score) FROM kb_hybrid_search('number 30', agent_id => 'a0000000-0000-0000-0000-00000000000a');
SELECT concat_ws(' ', name, owner, model) FROM kb_list() ORDER BY name;
-- Of a base outside the caller's circle the view shows kept statistics, which a process counts when it comes to it: each
-- base is asked for by its owner.
SELECT concat_ws(' ', knowledge_base, documents, indexed, chunks, embedded, model_variants::text) FROM kb_rag.status
WHERE note IS NULL ORDER BY 1;
SET ROLE move_owner;
SELECT concat_ws(' ', knowledge_base, documents, indexed, chunks, embedded, model_variants::text) FROM kb_rag.status
WHERE note IS NULL ORDER BY 1;
RESET ROLE;
SELECT t::text FROM kb_notes.term t ORDER BY 1;
SELECT concat_ws(' ', sum(chunks), sum(length)) FROM kb_notes.corpus;
SET ROLE move_reader;
SELECT concat_ws(' ', 'reader', name) FROM kb_list();
SELECT concat_ws(' ', 'reader', title) FROM kb_hybrid_search('when does my parcel arrive?', match_count => 1);
RESET ROLE;
