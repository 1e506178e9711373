-- A personal assistant as its users know it: it searches, reads, lists, counts, deletes and indexes again, in three levels of
-- detail, and keeps what its agents write. Each group is an endpoint or a tool of theirs, as the application calls it.
SET client_min_messages = warning;
SELECT kb_create('assistant', description => 'everything the assistant knows') IS NOT NULL AS created;
CREATE ROLE kb_regress_assistant;
SELECT kb_grant('assistant', 'kb_regress_assistant', 'write');
SET ROLE kb_regress_assistant;

-- index_file, and an upload: the path is the key, so that a file that is indexed again is replaced.
SELECT kb_add('assistant', E'# Authentication\n\nThe client sends its user name and password to /login. The server checks them and answers with a token.'
        || E'\n\nThe token ends after an hour. ' || repeat('A client asks for a new one with its refresh token, which ends after a month. ', 20),
    title => 'Authentication flow', source_key => 'docs/auth.md', mime_type => 'text/markdown', metadata => '{"uploadedBy": "ann"}') AS auth \gset
SELECT kb_add('assistant', E'Invoices are paid within thirty days. Late invoices get a reminder, and a fee after the second one.',
    title => 'Invoices', source_key => 'docs/invoices.md') AS invoices \gset
SELECT kb_add('assistant', E'import jwt\n\ndef login(user, password):\n    """Checks the password and returns a token."""\n    return jwt.encode({"sub": user})\n',
    source_key => 'src/login.py', source_type => 'code') AS login \gset
SELECT kb_add('assistant', E'import jwt\n\ndef login(user, password):\n    """Checks the password and returns a signed token."""\n    return jwt.encode({"sub": user})\n',
    source_key => 'src/login.py', source_type => 'code') = :'login' AS replaced;

-- An agent ends: what it wrote is indexed where it has more than 100 characters.
SELECT kb_add_output('assistant', 'I compared three ways to sign in. Passwords are the weakest, one-time codes by mail are better, and passkeys are the best for most people.',
    'research-7', 'Ways to sign in', '{"task": "compare logins"}') AS output \gset
SELECT kb_add_output('assistant', 'Done.', 'research-7') IS NULL AS too_short;
SET kb_rag.auto_index = off;
SELECT kb_add_output('assistant', repeat('A long answer that nobody keeps. ', 10), 'research-7') IS NULL AS switched_off;
RESET kb_rag.auto_index;

-- POST /search {"query": …, "mode": …, "limit": …, "sourceType": …}, and the tool search_knowledge: abstracts and overviews.
SELECT title, source, source_type, abstract <> '' AS has_abstract, length(overview) >= length(abstract) AS has_overview, text = overview AS shows_overview, score > 0 AS scored
FROM kb_search_documents('authentication flow', 'assistant', match_count => 1, mode => 'hybrid');
SELECT title, similarity IS NOT NULL AS has_similarity FROM kb_search_documents('what is the safest login for people?', 'assistant', match_count => 1, mode => 'semantic');
SELECT coalesce(title, source) AS entry FROM kb_search_documents('reminder', 'assistant', mode => 'keyword');
SELECT source_type, coalesce(title, source) AS entry FROM unnest('{document,code,agent_output}'::text[]) asked, kb_search_documents('password token', 'assistant', match_count => 1, source_type => asked);
-- A preview is the abstract alone; the agent that asks for all of it gets the text.
SELECT level, length(text) AS length FROM unnest('{abstract,overview,content}'::text[]) level, kb_search_documents('authentication flow', 'assistant', match_count => 1, level => level);
SELECT abstract FROM kb_read(:'auth');
-- Summaries that a model wrote are shown instead.
UPDATE kb_assistant.document SET abstract = 'How clients sign in.', overview = 'Login, tokens and refresh tokens.' WHERE id = :'auth';
SELECT abstract, overview FROM kb_search_documents('authentication flow', 'assistant', match_count => 1);

-- read_knowledge, GET /:id and the dialog of an entry: the full text on demand.
SELECT title, source, source_type, mime_type, status, chunks > 0 AS chunks, abstract, overview, left(text, 16) AS text, metadata FROM kb_read(:'auth');
SELECT metadata = jsonb_build_object('task', 'compare logins', 'agent', 'research-7', 'agent_id', kb_agent('research-7')) AS metadata FROM kb_read(:'output');

-- GET /: pages of entries, the newest first, by type or all.
SELECT title, source, source_type, status FROM kb_browse('assistant', match_count => 2);
SELECT title, source, source_type, status FROM kb_browse('assistant', match_count => 2, match_offset => 2);
SELECT count(*) FROM kb_browse('assistant', match_count => 2, match_offset => 4);
SELECT source, left(abstract, 10) AS abstract FROM kb_browse('assistant', source_type => 'code');

-- GET /stats.
SELECT source_type, documents, failed FROM kb_stats('assistant');
SELECT sum(documents) AS entries FROM kb_stats('assistant');

-- The button "re-index".
SELECT kb_refresh(:'auth');
SELECT title, status FROM kb_search_documents('authentication flow', 'assistant', match_count => 1) s, LATERAL (SELECT status FROM kb_read(s.document_id)) r;

-- DELETE /:id.
SELECT kb_delete(:'invoices'), kb_delete(:'invoices') AS again;
SELECT count(*) FROM kb_search_documents('reminder', 'assistant', mode => 'keyword');
SELECT source_type, documents FROM kb_stats('assistant');

-- The agent is removed, with what it wrote.
RESET ROLE;
SELECT kb_agent_drop(kb_agent('research-7'), delete_documents => true);
SELECT source_type, documents FROM kb_stats('assistant');

SELECT kb_drop('assistant');
DROP ROLE kb_regress_assistant;
RESET client_min_messages;
