-- Names of bases and models that the caller probably meant.
SET client_min_messages = warning;
CREATE ROLE kb_test041_owner;
CREATE ROLE kb_test041_reader;
SELECT kb_grant_admin('kb_test041_owner');
SELECT count(kb_create(name, model => 'fake/test', dimensions => 8))
FROM unnest('{support,Staff Handbook,hr,knowledge}'::text[]) name;
SET ROLE kb_test041_owner;
SELECT kb_create('secrets', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_grant('secrets', 'kb_test041_reader', 'read');
RESET ROLE;
CREATE FUNCTION hint_for(name text) RETURNS text LANGUAGE sql AS
    $$ SELECT hint FROM error_of(format('SELECT * FROM kb_search(''x'', %L)', name)) $$;

-- Two letters, the case and the beginning of a schema may be wrong.
SELECT name, hint_for(name)
FROM unnest('{Support,SUPPORT,suport,supprot,sport,kb_support,KB_Support,kb_suport,supporters,staff_handbook,knowlege,hr2,it}'::text[]) name;
-- Only bases that the caller may see are mentioned.
SET ROLE kb_test041_reader;
SELECT name, left(hint_for(name), 30) AS hint FROM unnest('{suport,secret}'::text[]) name;
RESET ROLE;
-- Every function that takes the name of a base.
SELECT call, e.state, e.hint FROM unnest(ARRAY['kb_add(''suport'', ''x'')', 'kb_drop(''suport'')', 'kb_configure(''suport'', chunk_size => 300)',
    'kb_grant(''suport'', ''public'', ''read'')', 'kb_attach_agent(gen_random_uuid(), ''suport'')', 'kb_retry(''suport'')', 'kb_reindex(''suport'')']) call,
    error_of('SELECT ' || call) e;
-- Arguments in the wrong order, if the other one is a base that the caller may see.
SELECT call, e.state, e.hint FROM unnest(ARRAY['* FROM kb_hybrid_search(''support'', ''how do refunds work?'')',
    'kb_add(''a text'', ''support'')', 'kb_add_url(''https://example.com/'', ''support'')', 'kb_add(''a text'', ''secrets'')']) call,
    error_of('SELECT ' || call) e;
SET ROLE kb_test041_reader;
SELECT left(hint, 30) AS hint FROM error_of($$SELECT * FROM kb_hybrid_search('hr', 'the question')$$);
SELECT hint FROM error_of($$SELECT * FROM kb_hybrid_search('secrets', 'the question')$$);
RESET ROLE;
-- The search of a read-only transaction.
BEGIN READ ONLY;
SELECT hint FROM error_of($$SELECT * FROM kb_search('x', 'suport')$$);
ROLLBACK;
-- A base without its schema is shown to its owner, to be dropped.
SELECT kb_create('broken', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
DROP SCHEMA kb_broken CASCADE;
SELECT hint_for('brokn');
SET ROLE kb_test041_reader;
SELECT left(hint_for('brokn'), 30) AS hint;
RESET ROLE;

-- Models: known ones without their provider or under another name, and providers.
SELECT kb_provider_set('litellm', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => '');
SELECT model, e.state, e.hint FROM unnest('{text-embedding-3-small,Text-Embedding-3-Large,text-embeding-3-small,opnai/text-embedding-3-small,
    openai1/gemini-embedding-001,litelm/my-own,all-MiniLM-L6-v2,sentence-transformers/all-MiniLM-L6-v2,local/all-minilm-l6-v3,multilingual-e5-small,
    local/multilingual-e5-smal,    text-embedding-004,my-own,nobody/my-own}'::text[]) model,
    error_of(format('SELECT kb_embed(''x'', %L)', model)) e;
SELECT kb_provider_drop('litellm');

SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION hint_for;
SELECT kb_revoke_admin('kb_test041_owner');
DROP ROLE kb_test041_owner, kb_test041_reader;
