-- Providers of models, their keys and who may use them. Nothing here calls one: tests/cluster does.
SET client_min_messages = warning;
\pset null NULL
CREATE ROLE kb_test150_owner;
CREATE ROLE kb_test150_other;
CREATE ROLE kb_test150_user;
SELECT kb_grant_admin('kb_test150_owner'), kb_grant_admin('kb_test150_other');

-- The built-in providers: keys are references, and only superusers may use them.
SELECT name, builtin, kind, base_url, api_key, headers, timeout, granted FROM kb_provider_list() ORDER BY name;
SET ROLE kb_test150_user;
SELECT name, api_key, owner = 'kb_test150_user' AS owned, granted FROM kb_provider_list() ORDER BY name;
SELECT * FROM error_of($$SELECT kb_embed('text', 'openai/text-embedding-3-small')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_embed_batch('{text}', 'openai/text-embedding-3-small')$$);
RESET ROLE;

-- Creating a provider.
SELECT kb_provider_set('corp', kind => 'openai', base_url => 'HTTPS://LLM.Example.com:443/v1/', headers => '{"X-Team": "canary-header"}',
    timeout => '1 minute 30 seconds', batch_items => 16, batch_tokens => 8000, batch_bytes => 100000, price_per_million => 0.5);
SELECT name, builtin, kind, base_url, api_key, headers, timeout, batch_items, batch_tokens, batch_bytes, price_per_million, owner, granted
FROM kb_provider_list() WHERE name = 'corp' \gx
-- NULL keeps the present value; empty removes key and headers.
SELECT kb_provider_set('corp', timeout => '5 seconds', api_key => 'env:KB_RAG_TEST_NOT_SET');
SELECT kb_provider_set('corp', headers => '{}');
SELECT kind, base_url, api_key, headers, timeout, batch_items, price_per_million FROM kb_provider_list() WHERE name = 'corp';
SELECT * FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
SELECT kb_provider_set('corp', api_key => 'file:/nonexistent/key');
SELECT * FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
SET client_min_messages = notice;
SELECT kb_provider_set('corp', api_key => 'secret:nowhere');
SELECT kb_provider_set('corp', timeout => '5 seconds');
SET client_min_messages = warning;
SELECT * FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
SELECT kb_provider_set('corp', api_key => '');
SELECT api_key FROM kb_provider_list() WHERE name = 'corp';

-- Rejected values. No message repeats what may be a key.
SELECT * FROM error_of($$SELECT kb_provider_set('corp', api_key => 'sk-canary')$$);
SELECT * FROM error_of($$SELECT kb_provider_set('corp', base_url => 'https://sk-canary@example.com')$$);
SELECT count(*) AS refused, min(state) AS state, bool_or(concat(message, detail, hint) ~ 'canary') AS told
FROM unnest(ARRAY[
    'api_key => ''Bearer sk-canary''', 'api_key => ''env:sk-canary''', 'api_key => ''file:sk-canary''', 'api_key => ''secret:sk canary''', 'api_key => ''https://sk-canary''',
    'base_url => ''https://example.com/v1?key=sk-canary''', 'base_url => ''https://example.com/#sk-canary''', 'base_url => ''ftp://sk-canary''', 'base_url => ''sk-canary''',
    'base_url => ''https://example.com\@sk-canary''', 'base_url => ''https://example.com:0''', 'base_url => ''https://example.com:99999''', 'base_url => ''https://exa mple.com''',
    'base_url => ''https://[::1''', 'base_url => ''https://example.com:+80''', 'base_url => ''https://''', 'base_url => ''https://exämple.com''', 'base_url => ''https://example..com''',
    'headers => ''{"Host": "sk-canary"}''', 'headers => ''{"a b": "sk-canary"}''', 'headers => ''{"A": "sk-canary\r\nB: c"}''', 'headers => ''{"A": ["sk-canary"]}''', 'headers => ''["sk-canary"]''',
    'headers => ''{"A": "sk-canary", "a": "x"}''', 'headers => ''{"Content-Length": "1"}''', 'kind => ''canary-kind'''
]) argument, error_of(format('SELECT kb_provider_set(''corp'', %s)', argument)) e WHERE state = '22023' AND argument <> 'kind => ''canary-kind''';
SELECT argument, e.* FROM unnest(ARRAY['kind => ''other''', 'timeout => ''0''', 'timeout => ''-1 second''', 'timeout => ''2 hours''', 'batch_items => 0', 'batch_tokens => -1',
    'batch_bytes => 0', 'price_per_million => -1', 'price_per_million => ''NaN''']) argument, error_of(format('SELECT kb_provider_set(''corp'', %s)', argument)) e;
SELECT name, e.* FROM unnest(ARRAY['local', 'fake', '', 'a/b', 'a b', repeat('x', 64), NULL, 'new']) name, error_of(format('SELECT kb_provider_set(%L)', name)) e;
SELECT state, message FROM error_of($$SELECT kb_provider_set('corp', headers => (SELECT jsonb_object_agg('h' || n, 'v') FROM generate_series(1, 33) n))$$);
-- Headers that the HTTP client or every call sets itself.
SELECT message FROM unnest(ARRAY['Host', 'Content-Length', 'Content-Encoding', 'Transfer-Encoding', 'Accept-Encoding', 'Connection', 'Keep-Alive', 'Upgrade',
    'TE', 'Trailer', 'Expect', 'Content-Type', 'Accept']) name, error_of(format('SELECT kb_provider_set(''corp'', headers => %L)', jsonb_build_object(name, 'x')));
SELECT base_url, api_key, headers FROM kb_provider_list() WHERE name = 'corp';

-- Headers name keys. A header that contains a key is rejected, and its value is not shown.
SELECT kb_provider_set('corp', headers => '{"X-Api-Key": "secret:corp", "Authorization": "Token secret:corp", "X-File": "file:/nonexistent/key", "X-Team": "search"}');
SELECT headers FROM kb_provider_list() WHERE name = 'corp';
SELECT headers FROM kb_rag.provider WHERE name = 'corp';
SELECT * FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
SELECT header, e.* FROM unnest(ARRAY['{"X-Api-Key": "canary"}', '{"Authorization": "Bearer canary"}', '{"Cookie": "session=canary"}', '{"X-Team": "sk-canary-0123456789"}', '{"Helicone-Auth": "canary"}']) header,
    error_of(format('SELECT kb_provider_set(''corp'', headers => %L)', header)) e;
SELECT header, state, message FROM unnest(ARRAY['{"X-Team": "secret:can ary"}', '{"X-Team": "a b secret:canary"}', '{"X-Team": "file:canary"}', '{"X-Team": "env:can-ary"}']) header,
    error_of(format('SELECT kb_provider_set(''corp'', headers => %L)', header));
-- A key of the server is not sent to another address silently.
SELECT * FROM error_of($$SELECT kb_provider_set('corp', base_url => 'https://other.example.com')$$);
SELECT kb_provider_set('corp', base_url => 'https://other.example.com', headers => '{"X-Team": "search"}');
SELECT kb_provider_set('corp', base_url => 'https://llm.example.com/v1', headers => '{}');
SELECT headers FROM kb_provider_list() WHERE name = 'corp';

-- Names of models lead to no other address.
SELECT model, state, message FROM unnest(ARRAY['nobody/x', 'corp/', 'corp/../../other', 'corp/a?b', 'corp/a b', 'corp//a', 'corp/./a', 'corp', '', '/x']) model,
    error_of(format('SELECT kb_embed(''text'', %L)', model));

-- The key of a built-in provider is not sent to another address silently.
SELECT * FROM error_of($$SELECT kb_provider_set('openai', base_url => 'https://proxy.example.com/v1')$$);
SELECT kb_provider_set('openai', base_url => 'https://proxy.example.com/v1', api_key => 'env:KB_RAG_TEST_NOT_SET');
SELECT name, builtin, base_url, api_key FROM kb_provider_list() WHERE name = 'openai';
SELECT kb_provider_drop('openai');
SELECT name, builtin, base_url, api_key FROM kb_provider_list() WHERE name = 'openai';
SELECT * FROM error_of($$SELECT kb_provider_drop('openai')$$);
-- The hint of a missing key names calls that work for a built-in provider, with the key in the place of KEY.
SELECT hint FROM error_of($$SELECT kb_embed('text', 'openai/text-embedding-3-small')$$) \gset
\echo :hint
SELECT replace(call[1], 'KEY', '''sk-canary-value''') FROM regexp_matches(:'hint', 'SELECT [^)]*\)', 'g') call \gexec
SELECT name, builtin, base_url, api_key FROM kb_provider_list() WHERE name = 'openai';
SELECT kb_secret_drop('openai'), kb_provider_drop('openai');
SELECT * FROM error_of($$SELECT kb_provider_drop('nobody')$$);

-- Privileges: a provider is used by its owner and by the roles that it has granted.
SELECT * FROM error_of($$SELECT kb_provider_grant('corp', 'kb_test150_nobody')$$);
SELECT state, message FROM error_of($$SELECT kb_provider_grant('nobody', 'public')$$);
SELECT kb_provider_set('corp', api_key => 'env:KB_RAG_TEST_NOT_SET');
SELECT kb_provider_grant('corp', 'kb_test150_user');
SET ROLE kb_test150_user;
SELECT name, api_key, headers, granted FROM kb_provider_list() WHERE NOT builtin;
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
SELECT statement, state, message FROM unnest(ARRAY[
    'SELECT kb_provider_set(''mine'', ''openai'')', 'SELECT kb_provider_drop(''corp'')', 'SELECT kb_provider_test(''corp'')', 'SELECT kb_provider_grant(''corp'', ''public'')',
    'SELECT kb_provider_revoke(''corp'', ''public'')', 'SELECT kb_secret_set(''a'', ''b'', ''https://example.com'')', 'SELECT kb_secret_drop(''a'')',
    'SELECT * FROM kb_rag.provider', 'SELECT * FROM kb_rag.provider_grant', 'SELECT * FROM kb_rag.secret', 'SELECT * FROM kb_rag.usage', 'SELECT * FROM kb_rag.query_cache',
    'SET kb_rag.ca_file = ''/tmp/x''', 'SET kb_rag.allowed_hosts = ''localhost:80'''
]) statement, error_of(statement);
SELECT statement, state FROM unnest(ARRAY['SHOW kb_rag.ca_file', 'SHOW kb_rag.allowed_hosts']) statement, error_of(statement);
RESET ROLE;
SELECT kb_provider_revoke('corp', 'kb_test150_user');
SET ROLE kb_test150_user;
SELECT count(*) FROM kb_provider_list() WHERE NOT builtin;
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
RESET ROLE;
-- By a grant to PUBLIC, and what remains after a revocation.
SELECT kb_provider_grant('corp', 'public');
SELECT kb_provider_grant('corp', 'public');
SELECT kb_provider_grant('corp', 'kb_test150_user');
SELECT kb_provider_revoke('corp', 'kb_test150_user');
SET ROLE kb_test150_user;
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
RESET ROLE;
SELECT kb_provider_revoke('corp', 'public');

-- Providers of a role that is not a superuser: keys of the server are not available, and its secrets are sent to one origin
-- only.
SET ROLE kb_test150_owner;
SELECT * FROM error_of($$SELECT kb_provider_set('mine', kind => 'openai', base_url => 'https://mine.example.com', api_key => 'env:PATH')$$);
SELECT state, message FROM error_of($$SELECT kb_provider_set('mine', kind => 'openai', base_url => 'https://mine.example.com', api_key => 'file:/etc/passwd')$$);
SELECT state, message FROM unnest(ARRAY['env:PATH', 'Bearer env:PATH', 'file:/etc/passwd']) header,
    error_of(format('SELECT kb_provider_set(''mine'', kind => ''openai'', base_url => ''https://mine.example.com'', headers => jsonb_build_object(''x-api-key'', %L))', header));
SELECT state, message FROM error_of($$SELECT kb_provider_set('openai', base_url => 'https://mine.example.com')$$);
SELECT state, message FROM error_of($$SELECT kb_provider_set('corp', base_url => 'https://mine.example.com')$$);
SELECT state, message FROM unnest(ARRAY['SELECT kb_provider_drop(''corp'')', 'SELECT kb_provider_grant(''corp'', ''kb_test150_owner'')', 'SELECT kb_provider_revoke(''corp'', ''public'')',
    'SELECT kb_provider_test(''corp'')']) statement, error_of(statement);
SELECT kb_provider_set('mine', kind => 'openai', base_url => 'https://mine.example.com', api_key => 'secret:mine');
SELECT kb_secret_set('mine', 'sk-canary-value', 'https://MINE.example.com:443');
SELECT * FROM error_of($$SELECT kb_secret_set('mine', 'sk canary', 'https://mine.example.com')$$);
SELECT state, message FROM error_of($$SELECT kb_secret_set('mine', '', 'https://mine.example.com')$$);
SELECT * FROM error_of($$SELECT kb_secret_set('mine', 'sk-canary', 'https://mine.example.com/v1')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_secret_set('mine', 'sk-canary', 'mine.example.com')$$);
SELECT state, message FROM error_of($$SELECT kb_secret_set('mi ne', 'sk-canary', 'https://mine.example.com')$$);
SELECT state, message FROM unnest(ARRAY['NULL, ''v'', ''o''', '''n'', NULL, ''o''', '''n'', ''v'', NULL']) arguments, error_of(format('SELECT kb_secret_set(%s)', arguments));
SELECT name, api_key, owner, granted FROM kb_provider_list() WHERE NOT builtin;
-- The secret is bound to the origin and to its owner.
SELECT kb_provider_set('mine', base_url => 'https://elsewhere.example.com');
SELECT * FROM error_of($$SELECT kb_embed('text', 'mine/some-model', 8)$$);
SELECT kb_provider_set('mine', base_url => 'http://mine.example.com');
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'mine/some-model', 8)$$);
SELECT kb_provider_set('mine', base_url => 'https://mine.example.com:8443');
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'mine/some-model', 8)$$);
SET ROLE kb_test150_other;
SELECT kb_provider_set('theirs', kind => 'openai', base_url => 'https://mine.example.com', api_key => 'secret:mine');
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'theirs/some-model', 8)$$);
SELECT kb_provider_set('theirs', api_key => '', headers => '{"X-Api-Key": "secret:mine"}');
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'theirs/some-model', 8)$$);
-- Nor are the server's keys available to a row that another role has written.
RESET ROLE;
UPDATE kb_rag.provider SET headers = '{"x-team": "env:PATH"}' WHERE name = 'theirs';
SET ROLE kb_test150_other;
SELECT state, message FROM error_of($$SELECT kb_embed('text', 'theirs/some-model', 8)$$);
SELECT kb_provider_set('theirs', headers => '{}');
SELECT state, message, hint FROM error_of($$SELECT kb_secret_set('mine', 'sk-canary', 'https://elsewhere.example.com')$$);
SELECT state, message FROM error_of($$SELECT kb_secret_drop('mine')$$);
SELECT state, message, hint FROM error_of($$SELECT kb_secret_drop('nothing')$$);
-- Each role sees what it may use.
SELECT name, api_key FROM kb_provider_list() WHERE NOT builtin;

-- Addresses of the server's own network are not allowed for it, in any notation.
SELECT kb_provider_set('theirs', api_key => '');
CREATE FUNCTION pg_temp.reached(url text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
    PERFORM kb_provider_set('theirs', base_url => url);
    SELECT concat_ws(' ', state, message) INTO found FROM error_of('SELECT kb_embed(''text'', ''theirs/some-model'', 8)');
    RETURN concat_ws(' ', found, (SELECT base_url FROM kb_provider_list() WHERE name = 'theirs'));
END
$$;
CREATE TEMP TABLE place AS SELECT unnest(ARRAY['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'http://[::ffff:127.0.0.1]:1', 'http://169.254.169.254', 'http://10.0.0.1:1',
    'http://192.168.0.1:1', 'http://172.16.0.1:1', 'http://0.0.0.0:1', 'http://[fd00::1]:1', 'http://[fe80::1]:1', 'http://127.1:1', 'http://127.0.1:1', 'http://2130706433:1',
    'http://017700000001:1', 'http://0x7f.0.0.1:1', 'http://0X7f000001:1', 'http://0:1', 'http://10.1:1', 'http://a.localhost:1', 'http://localhost.localdomain:1', 'http://100.64.0.1:1']) AS url;
SELECT url, pg_temp.reached(url) FROM place;
SELECT url, state, message FROM unnest(ARRAY['http://localhost.:1', 'http://127.0.0.1.:1', 'http://256.0.0.1', 'http://1.2.3.4.5', 'http://127.0.0.08', 'http://4294967296', 'http://a.1']) url,
    error_of(format('SELECT kb_provider_set(''theirs'', base_url => %L)', url));
SELECT * FROM error_of($$SELECT kb_embed('text', 'theirs/some-model', 8)$$);
RESET ROLE;
-- A superuser may allow them.
SET kb_rag.allowed_hosts = 'example.com:80, LOCALHOST:1';
SET ROLE kb_test150_other;
SELECT url, pg_temp.reached(url) FROM place WHERE url ~ 'localhost|127';
DROP TABLE place;
RESET ROLE;
RESET kb_rag.allowed_hosts;

-- Keys of the server are sent only for superusers, even if a superuser set one, or the owner is no longer a superuser.
SELECT * FROM error_of($$SELECT kb_provider_set('theirs', api_key => 'env:PATH')$$);
CREATE ROLE kb_test150_fallen SUPERUSER;
SET ROLE kb_test150_fallen;
SELECT kb_provider_set('fallen', kind => 'openai', base_url => 'https://fallen.example.com', api_key => 'env:PATH');
RESET ROLE;
ALTER ROLE kb_test150_fallen NOSUPERUSER;
SELECT kb_grant_admin('kb_test150_fallen');
SET ROLE kb_test150_fallen;
SELECT * FROM error_of($$SELECT kb_embed('text', 'fallen/some-model', 8)$$);
SELECT state, message FROM error_of($$SELECT kb_provider_set('fallen', base_url => 'https://elsewhere.example.com', api_key => 'env:PATH')$$);
SELECT state, message FROM error_of($$SELECT kb_provider_set('fallen', timeout => '1 second')$$);
SELECT kb_provider_drop('fallen');
RESET ROLE;
SELECT kb_revoke_admin('kb_test150_fallen');
DROP ROLE kb_test150_fallen;

-- A base needs its owner's privilege on the provider, and so does the role that configures it.
SELECT kb_provider_grant('corp', 'kb_test150_owner'), kb_provider_set('corp', api_key => '', base_url => 'http://127.0.0.1:1', timeout => '1 second');
SET ROLE kb_test150_other;
SELECT * FROM error_of($$SELECT kb_create('theirs', model => 'corp/some-model', dimensions => 8)$$);
SET ROLE kb_test150_owner;
SELECT kb_create('ours', model => 'corp/some-model', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('plain', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_grant('plain', 'kb_test150_other', 'admin'), kb_grant('ours', 'kb_test150_user', 'read'), kb_grant('plain', 'kb_test150_user', 'read');
SELECT kb_provider_grant('mine', 'kb_test150_other');
RESET ROLE;
SELECT kb_provider_set('mine', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => ''), kb_provider_set('theirs', base_url => 'http://127.0.0.1:1');
SET ROLE kb_test150_other;
SELECT state, message FROM error_of($$SELECT kb_configure('plain', model => 'corp/some-model', dimensions => 8)$$);
-- This role may use it, but the owner of the base may not.
SELECT state, message, detail FROM error_of($$SELECT kb_configure('plain', model => 'theirs/some-model', dimensions => 8)$$);

-- A search of a base calls its provider, which is not available: hybrid search uses keywords.
SET ROLE kb_test150_user;
SELECT count(*) FROM kb_hybrid_search('what?', 'ours');
SELECT state, message, hint FROM error_of($$SELECT count(*) FROM kb_search('what?', 'ours', 'semantic')$$);
SELECT state, message FROM error_of($$SELECT kb_warm_query('what?', 'ours')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_estimate('ours')$$);
RESET ROLE;
SELECT kb_provider_revoke('corp', 'kb_test150_owner');
SET ROLE kb_test150_user;
SELECT count(*) FROM kb_hybrid_search('what?', 'ours');
SELECT state, message FROM error_of($$SELECT count(*) FROM kb_search('what?', 'ours', 'semantic')$$);
RESET ROLE;

-- A provider in use is not dropped silently, and another role cannot take a name that bases use.
BEGIN;
SELECT kb_provider_drop('corp');
ROLLBACK;
UPDATE kb_rag.knowledge_base SET model = 'gone/some-model' WHERE name = 'ours';
SET ROLE kb_test150_other;
SELECT * FROM error_of($$SELECT kb_provider_set('gone', kind => 'openai', base_url => 'https://theirs.example.com')$$);
SET ROLE kb_test150_owner;
SELECT state, message FROM error_of($$SELECT * FROM kb_search('what?', 'ours', 'semantic')$$);
SELECT count(*) FROM kb_hybrid_search('what?', 'ours');
SELECT kb_provider_set('gone', kind => 'openai', base_url => 'https://ours.example.com');
SELECT kb_provider_drop('gone');
RESET ROLE;
UPDATE kb_rag.knowledge_base SET model = 'corp/some-model' WHERE name = 'ours';

-- The cost of embedding, before anything is spent.
SELECT kb_add('plain', repeat('A few words of English. ', 100), title => 'Title') IS NOT NULL AS added;
SELECT kb_add('plain', repeat('早上好', 100)) IS NOT NULL AS added;
SELECT * FROM kb_estimate('plain');
SELECT * FROM kb_estimate('plain', 'fake/other');
SELECT * FROM kb_estimate('plain', 'corp/some-model');
SELECT kb_provider_set('corp', batch_items => 1, price_per_million => 100);
SELECT * FROM kb_estimate('plain', 'corp/some-model');
-- The list price, if the service itself is used; a key is not needed.
SELECT model, chunks, tokens, calls, cost > 0 AS costs FROM kb_estimate('plain', 'openai/text-embedding-3-small');
DELETE FROM kb_plain.embedding;
SELECT chunks, tokens FROM kb_estimate('plain');
SET ROLE kb_test150_other;
SELECT state, message FROM error_of($$SELECT * FROM kb_estimate('plain', 'corp/some-model')$$);
SELECT chunks FROM kb_estimate('plain', 'theirs/some-model');
SET ROLE kb_test150_user;
SELECT chunks FROM kb_estimate('plain');
RESET ROLE;
SELECT model, e.state, e.message FROM unnest(ARRAY['nobody/x', 'local/none', 'x']) model, error_of(format('SELECT * FROM kb_estimate(''plain'', %L)', model)) e;
SELECT state, message FROM error_of($$SELECT * FROM kb_estimate('nothing')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_estimate(NULL)$$);

-- Cached queries: models of the server need no cache.
SELECT kb_warm_query('what?', 'plain');
SELECT state, message FROM unnest(ARRAY['NULL, ''plain''', '''what?'', NULL', ''''', ''plain''', '''what?'', ''nothing''', 'repeat(''x'', 70000), ''plain''']) arguments,
    error_of(format('SELECT kb_warm_query(%s)', arguments));
SET kb_rag.query_cache_ttl = 0;
SELECT state, message, hint FROM error_of($$SELECT kb_warm_query('what?', 'ours')$$);
SELECT state FROM error_of($$SET kb_rag.query_cache_ttl = -1$$);
SET kb_rag.query_cache_ttl = '2min';
SHOW kb_rag.query_cache_ttl;
RESET kb_rag.query_cache_ttl;

-- The test must name the model if the kind has no default.
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_provider_test('ollama')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_provider_test('nobody')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_provider_test('corp')$$);
SELECT state, message FROM error_of($$SELECT * FROM kb_provider_test(NULL)$$);

-- Certificates.
SET kb_rag.ca_file = '/nonexistent/ca.pem';
SELECT * FROM error_of($$SELECT kb_embed('text', 'corp/some-model', 8)$$);
RESET kb_rag.ca_file;

-- Usage is shown to readers of the base, and the rest to superusers.
INSERT INTO kb_rag.usage (knowledge_base_id, knowledge_base, model, at, calls, items, tokens, errors, cost)
SELECT b.id, b.name, 'corp/some-model', '2026-01-02 23:30+00'::timestamptz + n * interval '20 minutes', 1, 2, 30, 0, 0.5 FROM kb_list() b, generate_series(0, 2) n WHERE b.name = 'plain'
UNION ALL SELECT NULL, NULL, 'corp/some-model', '2026-01-02', 1, 0, NULL, 1, NULL;
SELECT * FROM kb_rag.usage_daily WHERE model LIKE 'corp/%' ORDER BY day, knowledge_base;
SET ROLE kb_test150_user;
SELECT * FROM kb_rag.usage_daily WHERE model LIKE 'corp/%' ORDER BY day, knowledge_base;
SET ROLE kb_test150_other;
SELECT count(*) FROM kb_rag.usage_daily;
RESET ROLE;
SELECT kb_revoke('plain', 'kb_test150_user', 'read');
SET ROLE kb_test150_user;
SELECT count(*) FROM kb_rag.usage_daily;
RESET ROLE;

-- Secrets are hidden even from roles that may read all tables.
SET ROLE kb_test150_other;
SET ROLE kb_test150_owner;
SELECT kb_secret_set('mine', 'sk-canary-value', 'https://mine.example.com');
RESET ROLE;
SELECT count(*) AS kept FROM kb_rag.secret;
GRANT pg_read_all_data TO kb_test150_user;
SET ROLE kb_test150_user;
SELECT count(*) AS seen FROM kb_rag.secret;
RESET ROLE;

-- The contents of a dump: neither secrets nor built-in rows.
SELECT t.config::regclass AS table, coalesce(e.extcondition[t.position], '') AS condition
FROM pg_extension e CROSS JOIN LATERAL unnest(e.extconfig) WITH ORDINALITY t (config, position)
WHERE e.extname = 'kb_rag' AND t.config::regclass::text ~ 'provider|secret|usage|query_cache' ORDER BY 1;

SELECT kb_drop('ours'), kb_drop('plain');
SELECT kb_provider_drop('corp'), kb_provider_drop('mine'), kb_provider_drop('theirs');
SELECT kb_secret_drop('mine');
SELECT (SELECT count(*) FROM kb_rag.provider WHERE NOT builtin) AS providers, (SELECT count(*) FROM kb_rag.provider_grant) AS grants, (SELECT count(*) FROM kb_rag.secret) AS secrets;
DELETE FROM kb_rag.usage;
SELECT kb_revoke_admin('kb_test150_owner'), kb_revoke_admin('kb_test150_other');
DROP OWNED BY kb_test150_user, kb_test150_owner, kb_test150_other;
DROP ROLE kb_test150_owner, kb_test150_other, kb_test150_user;
