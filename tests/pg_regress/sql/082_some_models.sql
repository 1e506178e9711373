-- Searches over bases of which some have a model that cannot be used: it is left out, not the search.
\set VERBOSITY terse
SELECT kb_provider_set('dead', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => '', timeout => '1 second'),
    kb_provider_set('gone', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => '');
SET client_min_messages = error;
SELECT kb_create('coffee', model => 'fake/test', dimensions => 8) IS NOT NULL AS coffee,
    kb_create('tea', model => 'dead/small', dimensions => 8) IS NOT NULL AS tea,
    kb_create('juice', model => 'gone/small', dimensions => 8) IS NOT NULL AS juice;
SELECT count(kb_add(name, initcap(name) || ' is a drink.')) FROM kb_list();
RESET client_min_messages;
SELECT kb_provider_drop('gone');

-- Hybrid: the bases are searched by keyword.
SELECT content, semantic_rank IS NOT NULL AS semantic FROM kb_hybrid_search('drink') ORDER BY content;
-- Semantic: they are left out.
SELECT content FROM kb_search('drink', mode => 'semantic');
-- So they are where the keywords do not count.
SELECT content FROM kb_hybrid_search('drink', keyword_weight => 0);
-- Keyword search calls no model.
SELECT content FROM kb_search('drink', mode => 'keyword') ORDER BY content;

-- Several bases of one model: one call, one warning.
SET client_min_messages = error;
SELECT kb_create('milk', model => 'dead/small', dimensions => 8) IS NOT NULL AS milk;
RESET client_min_messages;
SELECT count(*) FROM kb_hybrid_search('drink');
SELECT count(*) FROM kb_search('drink', mode => 'semantic');

-- Nothing is left: the first error.
SELECT kb_drop('coffee');
SELECT state, message FROM error_of($$SELECT * FROM kb_search('drink', mode => 'semantic')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_search('drink', 'tea', 'semantic')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_hybrid_search('drink', 'tea', keyword_weight => 0)$$);

SELECT kb_drop(name) FROM kb_list();
SELECT kb_provider_drop('dead');
