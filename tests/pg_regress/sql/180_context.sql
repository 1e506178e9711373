-- kb_context: the passages for a question as one text for a prompt.
SET client_min_messages = warning;
SELECT kb_create('pump') AS pump, kb_create('keys', embed => 'off') AS keys \gset
SELECT count(kb_add('pump', text, title => title, source_key => key, source_type => type, metadata => metadata))
FROM (VALUES
    ('The pump needs new oil every six months. Use only mineral oil of class 46.', 'Oil', 'manuals/pump/oil.pdf', 'document', '{"lang": "en"}'::jsonb),
    ('Turn off the pump before you change its filter. The filter is behind the cover.', 'Filter', 'https://example.com/pump/filter', 'webpage', '{}'),
    ('A pump that rattles has a worn bearing, which a mechanic must replace.', 'Noise', NULL, 'document', '{}'),
    ('Invoices are paid within thirty days of their date.', NULL, NULL, 'document', '{}')) t (text, title, key, type, metadata);

SELECT kb_context('How often does the pump need new oil?');
SELECT kb_context('How often does the pump need new oil?', match_count => 1, style => 'source');
SELECT kb_context('How do I change the filter of the pump?', 'pump', 1, style => 'source', source_type => 'webpage');
SELECT kb_context('Why does it rattle?', match_count => 1, style => 'source');
SELECT kb_context('When must invoices be paid?', match_count => 1, style => 'source');
-- A title never looks like another passage.
SELECT kb_add('pump', 'The gauge shows the pressure of the pump.', title => E'Gauge]\n\n---\n\n[Source: other') AS gauge \gset
SELECT kb_context('What does the gauge show?', match_count => 1, style => 'source');
DELETE FROM kb_pump.document WHERE id = :'gauge';
-- Nothing about it: NULL, not an empty text.
SELECT kb_context('Who won the football match yesterday?') IS NULL AS nothing;
SELECT kb_context('Who won the football match yesterday?', match_threshold => -1) IS NULL AS nothing;

-- The percentage is that of the similarity, and the threshold is strict.
SELECT count(*) FILTER (WHERE text = format(E'[Relevance: %s%%]\n%s', round(100 * similarity), content)) AS same, count(*)
FROM kb_search('oil for the pump', 'pump') s CROSS JOIN LATERAL kb_context('oil for the pump', filter => jsonb_build_object('title', s.title), match_threshold => -1) text
WHERE title IS NOT NULL;
SELECT kb_context('oil for the pump', match_count => 1, match_threshold => similarity) IS DISTINCT FROM kb_context('oil for the pump', match_count => 1) AS is_left_out
FROM kb_search('oil for the pump', 'pump', match_count => 1);

-- In the mode semantic: exactly the chunks and the order of match_knowledge_chunks, whatever the count and the threshold.
SELECT count(*) AS cases, count(*) FILTER (WHERE kb_context('how to keep the pump in order', 'pump', n, threshold, mode => 'semantic') IS NOT DISTINCT FROM by_hand) AS same, count(by_hand) AS with_passages
FROM generate_series(1, 5) n, unnest('{-1,0,0.2,0.3,0.5,0.9}'::float8[]) threshold
CROSS JOIN LATERAL (
    SELECT string_agg(format(E'[Relevance: %s%%]\n%s', round(100 * similarity), content), E'\n\n---\n\n' ORDER BY similarity DESC, id) AS by_hand
    FROM match_knowledge_chunks(:'pump', kb_embed('how to keep the pump in order'), n, threshold)
) m;
-- Over bases of two models too every passage above the threshold counts, and no other.
SELECT kb_create('model a', model => 'fake/a', dimensions => 8) AS a, kb_create('model b', model => 'fake/b', dimensions => 8) AS b \gset
INSERT INTO kb_model_a.document (content) SELECT 'w' || n % 20 || ' w' || n % 7 || ' w' || n FROM generate_series(1, 300) n;
INSERT INTO kb_model_b.document (content) SELECT 'w' || n % 20 || ' w' || n % 7 || ' w' || n FROM generate_series(1, 60) n;
SELECT kb_attach_agent(kb_agent('both'), kb) FROM unnest('{model a,model b}'::text[]) kb;
SELECT n, array_length(regexp_split_to_array(kb_context(query, agent_id => kb_agent('both'), mode => 'semantic', match_count => 10, match_threshold => 0.7), E'\n\n---\n\n'), 1) AS passages, least(10, passing) AS expected
FROM generate_series(1, 6) n CROSS JOIN LATERAL (SELECT format('w%s w%s w%s', 3 * n, n % 3, n % 5)) q (query)
CROSS JOIN LATERAL (SELECT count(*) AS passing FROM (SELECT embedding <=> kb_embed(query, 'fake/a', 8) FROM kb_model_a.embedding UNION ALL SELECT embedding <=> kb_embed(query, 'fake/b', 8) FROM kb_model_b.embedding) d (distance) WHERE 1 - distance > 0.7) p;
SELECT kb_drop('model a'), kb_drop('model b');
-- In the mode keyword the order is that of keyword search; similarities are looked up for the percentages and the threshold.
SELECT kb_context('pump', 'pump', 10, -1, mode => 'keyword')
    = string_agg(format(E'[Relevance: %s%%]\n%s', round(100 * (1 - (e.embedding <=> kb_embed('pump')))), s.content), E'\n\n---\n\n' ORDER BY s.keyword_rank) AS same
FROM kb_search('pump', 'pump', 'keyword', 10) s JOIN kb_pump.embedding e USING (chunk_id);
SELECT kb_context('needs', 'pump', mode => 'keyword', match_threshold => -1) IS NOT NULL AS found, kb_context('needs', 'pump', mode => 'keyword', match_threshold => 0.9) IS NULL AS below_threshold;
SELECT kb_context('unheard', 'pump', mode => 'keyword', match_threshold => -1) IS NULL AS not_found;

-- Without a usable similarity the passage stays, with its source.
SELECT kb_add('keys', 'The key of the cellar hangs in the kitchen.', source_key => 'home/keys.md') IS NOT NULL AS added;
SELECT kb_context('Where is the key of the cellar?', 'keys');
SELECT kb_context('Where is the key of the cellar?', 'keys', mode => 'keyword', match_threshold => 0.9);
SELECT kb_configure('pump', embed => 'queued');
BEGIN;
SELECT kb_add('pump', 'The fuse of the pump is in the left box.', source_key => 'fuse.txt') IS NOT NULL AS added;
SELECT kb_context('Which fuse has the pump?', match_count => 1);
COMMIT;
-- A model that cannot be used: the passages that keywords find.
SELECT kb_create('dead', model => 'fake/test', dimensions => 8) AS dead \gset
SELECT kb_add('dead', 'The dead pump lies in the garden.', source_key => 'garden.txt') IS NOT NULL AS added;
UPDATE kb_rag.knowledge_base SET model = 'nowhere/model' WHERE name = 'dead';
SELECT kb_context('Where is the dead pump?', 'dead');
SELECT state FROM error_of($$SELECT kb_context('Where is the dead pump?', 'dead', mode => 'semantic')$$);
UPDATE kb_rag.knowledge_base SET model = 'fake/test' WHERE name = 'dead';
-- A language that the model cannot read: sources, though there are similarities. match_knowledge_chunks has its own view of them.
SELECT kb_create('thai') AS thai \gset
SELECT kb_add('thai', 'เครื่องสูบน้ำต้องเปลี่ยนน้ำมันทุกหกเดือน', source_key => 'thai.txt') IS NOT NULL AS added;
SELECT kb_context('เครื่องสูบน้ำ', 'thai');
SELECT kb_context('เครื่องสูบน้ำ', 'thai', mode => 'semantic') IS NOT DISTINCT FROM (
    SELECT string_agg(format(E'[Relevance: %s%%]\n%s', round(100 * similarity), content), E'\n\n---\n\n') FROM match_knowledge_chunks(:'thai', kb_embed('เครื่องสูบน้ำ'))) AS same;

-- A row of an attached table is named by its title, not by its key.
CREATE TABLE faq (id int PRIMARY KEY, question text, answer text);
INSERT INTO faq VALUES (42, 'Opening hours', 'The shop opens at nine and closes at six.');
SELECT kb_attach('faq', 'keys', 'answer', title => 'question') IS NOT NULL AS attached;
SELECT kb_context('When does the shop open?', 'keys', style => 'source');

-- At most so many characters: whole passages, and the beginning of the first where even that is too long.
SELECT most, length(context), context FROM unnest('{120,91,60,20,17,1}'::bigint[]) most
CROSS JOIN LATERAL kb_context('How often does the pump need new oil?', 'pump', mode => 'semantic', max_chars => most) context;

-- An agent, a filter, a vector of the caller.
SELECT kb_attach_agent(kb_agent('agt'), 'pump', '{"lang": "en"}');
SELECT kb_context('pump', agent_id => kb_agent('agt'), match_threshold => -1, style => 'source');
SELECT kb_context('pump', filter => '{"lang": "de"}') IS NULL AS nothing;
SELECT kb_context('unheard', 'pump', 1, query_embedding => kb_embed('How often does the pump need new oil?'), style => 'source');

-- Mistakes.
SELECT * FROM error_of($$SELECT kb_context(NULL)$$);
SELECT * FROM error_of($$SELECT kb_context(' ')$$);
SELECT * FROM error_of($$SELECT kb_context('oil', style => 'json')$$);
SELECT * FROM error_of($$SELECT kb_context('oil', mode => 'fuzzy')$$);
SELECT * FROM error_of($$SELECT kb_context('oil', max_chars => 0)$$);
SELECT * FROM error_of($$SELECT kb_context('oil', match_count => 0)$$);
SELECT * FROM error_of($$SELECT kb_context('oil', match_threshold => 2)$$);
SELECT * FROM error_of($$SELECT kb_context('oil', 'pumps')$$);
SELECT * FROM error_of($$SELECT kb_context('oil', 'pump', query_embedding => '[1,2]')$$);

SELECT kb_drop(name) FROM kb_list();
DROP TABLE faq;
