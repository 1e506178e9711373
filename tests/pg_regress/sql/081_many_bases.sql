-- More bases than a search covers, without a scope: an error with a hint.
SET client_min_messages = warning;
SET kb_rag.test_limits = 'max_bases=4';
SELECT count(kb_create('many ' || n, model => 'fake/test', dimensions => 4)) FROM generate_series(1, 5) n;
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x')$$);
SELECT kb_drop('many 1');
SELECT count(*) FROM kb_hybrid_search('x');
