-- A base records which weights of its model embedded it; the view shows which are in use. The tests run with int8.
SET client_min_messages = warning;
SELECT kb_create('weights', chunk_strategy => 'text', index_method => 'none') IS NOT NULL AS created;
SELECT model, model_variants, variant_in_use, kernel IN ('avx512-vnni', 'avx2', 'portable') AS has_kernel FROM kb_rag.status;

-- Writers do not change the catalog row.
SELECT xmin AS before FROM kb_rag.knowledge_base \gset
INSERT INTO kb_weights.document (title, content) VALUES ('Cat', 'A cat sleeps on the mat.'), ('Tax', 'Taxes are due in May.');
SELECT kb_add('weights', 'A dog barks.') IS NOT NULL AS added;
SELECT xmin = :before AS untouched FROM kb_rag.knowledge_base;

-- As after a change of the weights: searches work, and the next vector is recorded, once; a text that needs no vector
-- records nothing.
UPDATE kb_rag.knowledge_base SET model_variants = '{f32}';
SELECT model_variants, variant_in_use FROM kb_rag.status;
SELECT title FROM kb_search('a sleeping animal', 'weights', 'semantic', 1);
UPDATE kb_weights.document SET metadata = '{"a": 1}', title = title;
SELECT model_variants FROM kb_rag.status;
UPDATE kb_weights.document SET content = 'Taxes are due in June.' WHERE title = 'Tax';
SELECT model_variants FROM kb_rag.status;
SELECT xmin AS before FROM kb_rag.knowledge_base \gset
UPDATE kb_weights.document SET content = 'Taxes are due in July.' WHERE title = 'Tax';
SELECT xmin = :before AS untouched FROM kb_rag.knowledge_base;

-- A record made by a transaction that is rolled back disappears with its vectors.
UPDATE kb_rag.knowledge_base SET model_variants = '{f32}';
BEGIN;
SELECT kb_add('weights', 'A bird sings.') IS NOT NULL AS added;
SELECT model_variants FROM kb_rag.status;
ROLLBACK;
SELECT model_variants FROM kb_rag.status;

-- Without the model the status is still shown.
UPDATE kb_rag.knowledge_base SET model = 'local/gone';
SELECT knowledge_base, embedded, model_variants, variant_in_use, kernel FROM kb_rag.status;
SELECT kb_drop('weights');
