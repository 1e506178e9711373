-- The local model: 384 dimensions, length 1, and similar texts are near.
SELECT vector_dims(kb_embed('a cat sat on the mat')), round(vector_norm(kb_embed('a cat sat on the mat'))::numeric, 5) AS norm;
SELECT kb_embed('the cat is sleeping') <=> kb_embed('a kitten takes a nap') < 0.5 AS near,
    kb_embed('the cat is sleeping') <=> kb_embed('quarterly tax report') > 0.8 AS far;

-- The first numbers of a known vector, which are the same with int8 weights on every processor (in f32: .0677 .0635 .0487
-- .0793).
SELECT round(x::numeric, 4) AS x
FROM unnest((kb_embed('This is an example sentence')::real[])[1:4]) x;

-- A batch gives the same bits as single calls, in order.
SELECT b.ordinal, b.embedding = kb_embed(t.t, input_type => 'document') AS same
FROM (VALUES (0, 'first text'), (1, ''), (2, repeat('a much longer text ', 100))) t (n, t)
JOIN kb_embed_batch(ARRAY['first text', '', repeat('a much longer text ', 100)]) b ON b.ordinal = t.n
ORDER BY b.ordinal;
SELECT count(*) FROM kb_embed_batch('{}');

-- Fewer dimensions: truncated and normalized again.
SELECT vector_dims(kb_embed('x', dimensions => 64)), round(vector_norm(kb_embed('x', dimensions => 64))::numeric, 5) AS norm;

-- fake: deterministic, any dimension, and texts that share words are near.
SELECT kb_embed('refund policy', 'fake/test', 8) AS fake;
SELECT vector_dims(kb_embed('x', 'fake/test', 2000)), vector_norm(kb_embed('', 'fake/test'));

-- STABLE, so that a vector index can serve ORDER BY embedding <=> kb_embed('…').
SELECT provolatile FROM pg_proc WHERE proname = 'kb_embed';

-- Invalid arguments.
SELECT * FROM error_of('SELECT kb_embed(NULL)');
SELECT * FROM error_of('SELECT kb_embed(''x'', input_type => ''passage'')');
SELECT * FROM error_of('SELECT kb_embed(''x'', ''local/none-such'')');
SELECT * FROM error_of('SELECT kb_embed(''x'', ''local/../../etc'')');
-- A model of a package that is not installed here.
SELECT * FROM error_of('SELECT kb_embed(''x'', ''local/multilingual-e5-small'')');
SELECT * FROM error_of('SELECT kb_embed(''x'', ''nonsense'')');
SELECT * FROM error_of('SELECT kb_embed(''x'', ''nobody/text-embedding-3-small'')');
SELECT * FROM error_of('SELECT kb_embed(''x'', dimensions => 385)');
SELECT * FROM error_of('SELECT kb_embed(''x'', dimensions => 0)');
SELECT * FROM error_of('SELECT kb_embed(''x'', ''fake/test'', 16001)');
SELECT * FROM error_of('SELECT * FROM kb_embed_batch(NULL)');
SELECT * FROM error_of('SELECT * FROM kb_embed_batch(ARRAY[''x'', NULL])');

-- For a directory without a model, the error names the missing file; only a superuser may set another directory.
SET kb_rag.model_path = '/nonexistent';
SELECT * FROM error_of('SELECT kb_embed(''x'')');
RESET kb_rag.model_path;
SELECT * FROM error_of($$SET kb_rag.modelpath = '/tmp'$$);
CREATE ROLE kb_regress_plain;
SET ROLE kb_regress_plain;
SELECT * FROM error_of('SET kb_rag.model_path = ''/tmp''');
SELECT vector_dims(kb_embed('anybody may embed with the local model'));
RESET ROLE;
DROP ROLE kb_regress_plain;
