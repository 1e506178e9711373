-- relevance: what a similarity means, from 0 to 1, whatever the model.
SET client_min_messages = warning;
-- Vectors in the plane: the similarity to the question [1,0] is the first number. The model was not measured.
SELECT kb_create('plane', model => 'fake/test', dimensions => 2, text_config => 'english') IS NOT NULL AS created;
INSERT INTO kb_plane.document (title, content) SELECT s, 'Apples of ' || s FROM unnest('{-0.5,0,0.15,0.3,0.4,0.5,0.6,0.7,0.85,1}'::text[]) s;
UPDATE kb_plane.embedding e SET embedding = ARRAY[d.title::real, sqrt(1 - d.title::real ^ 2)]::real[]::vector FROM kb_plane.chunk c JOIN kb_plane.document d ON d.id = c.document_id WHERE c.id = e.chunk_id;
SELECT title AS similarity, round(relevance::numeric, 3) AS relevance FROM kb_search('x', 'plane', 'semantic', 10, query_embedding => '[1,0]') ORDER BY similarity;
-- The same in all searches, and in each mode and fusion.
SELECT count(*), bool_and(s.relevance = h.relevance) AS hybrid, bool_and(s.relevance = r.relevance) AS relative, bool_and(s.relevance = d.relevance) AS documents
FROM kb_search('x', 'plane', 'semantic', 10, query_embedding => '[1,0]') s JOIN kb_hybrid_search('apples', 'plane', 10, query_embedding => '[1,0]') h USING (title)
JOIN kb_hybrid_search('apples', 'plane', 10, query_embedding => '[1,0]', fusion => 'relative') r USING (title)
JOIN kb_search_documents('apples', 'plane', 10, query_embedding => '[1,0]') d USING (title);
-- NULL where there is no similarity.
SELECT proname, proargnames[array_length(proargnames, 1) - CASE proname WHEN 'kb_hybrid_search' THEN 1 WHEN 'kb_search' THEN 3 ELSE 2 END:] AS last FROM pg_proc WHERE proname IN ('kb_search', 'kb_hybrid_search', 'kb_search_documents') ORDER BY 1;
SELECT count(*), count(relevance) FROM kb_search('apples', 'plane', 'keyword', 10);
SELECT kb_configure('plane', embed => 'off');
INSERT INTO kb_plane.document (title, content) VALUES ('mute', 'Apples without a vector.');
SELECT relevance IS NULL AS is_null FROM kb_search('apples vector', 'plane', match_count => 11, query_embedding => '[1,0]') WHERE title = 'mute';
SELECT kb_drop('plane');

-- The default model has a scale of its own: .22, .3, .41, .63 and .78 are 0, .25, .5, .75 and 1.
SELECT kb_create('tea') IS NOT NULL AS created;
SELECT count(kb_add('tea', t)) FROM unnest(ARRAY['Green tea is brewed for three minutes.', 'The kettle is in the kitchen.', 'Invoices are paid within thirty days.']) t;
SELECT content, CASE WHEN similarity <= .22 THEN relevance = 0 WHEN similarity <= .3 THEN relevance <= .25 WHEN similarity <= .41 THEN relevance <= .5 WHEN similarity <= .63 THEN relevance <= .75 ELSE relevance > .75 END AS as_measured,
    relevance > 0.5 AS is_good
FROM kb_search('How long is green tea brewed?', 'tea', 'semantic') ORDER BY similarity DESC;
-- Tools show it with a word, and give it with the sources. kb_context keeps the similarity.
SELECT replace(r #>> '{content,0,text}', r #>> '{sources,0,document_id}', '<id>') ~ format(E'\n\\(relevance %s%%: good, document id <id>\\)$', round(100 * s.relevance)) AS text,
    (r #>> '{sources,0,relevance}')::float8 = s.relevance AS of_source, kb_context('How long is green tea brewed?', 'tea', 1) LIKE format('[Relevance: %s%%]%%', round(100 * similarity)) AS context
FROM kb_search('How long is green tea brewed?', 'tea', match_count => 1) s, kb_call_tool('search_knowledge', '{"query": "How long is green tea brewed?", "limit": 1}') r;
-- A model that does not read the texts tells nothing.
SELECT kb_create('thai') IS NOT NULL AS created;
SELECT kb_add('thai', 'เครื่องสูบน้ำต้องเปลี่ยนน้ำมันทุกหกเดือน') IS NOT NULL AS added;
SELECT similarity IS NOT NULL AS has_similarity, relevance FROM kb_search('When is the oil changed?', 'thai', 'semantic');
SELECT kb_drop('tea'), kb_drop('thai');
