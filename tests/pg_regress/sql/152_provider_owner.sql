-- Which texts go to a provider: the owner of the tables decides, whoever created the base.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE kb_regress_alice;
CREATE ROLE kb_regress_bob;
CREATE ROLE kb_regress_carol IN ROLE kb_regress_bob;
SELECT kb_grant_admin('kb_regress_alice'), kb_grant_admin('kb_regress_bob'), kb_grant_admin('kb_regress_carol');
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO kb_regress_alice, kb_regress_bob', current_database()); END $$;
SET ROLE kb_regress_alice;
SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://lab.example.com');
SELECT kb_create('papers', model => 'lab/m', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('letters', model => 'fake/a', dimensions => 8, embed => 'queued') IS NOT NULL AS created;
SELECT kb_configure('letters', model => 'lab/m', dimensions => 12);
RESET ROLE;
\set VERBOSITY default
SELECT kb_provider_drop('lab');
\set VERBOSITY terse
-- Alice still owns both.
BEGIN;
SET ROLE kb_regress_alice;
SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://lab.example.com');
ROLLBACK;
-- Bob owns them now, at first only the one with the pending model.
ALTER SCHEMA kb_letters RENAME TO kb_mail;
ALTER TABLE kb_mail.document OWNER TO kb_regress_bob;
SET ROLE kb_regress_alice;
SELECT * FROM error_of($$SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://evil.example.com')$$);
RESET ROLE;
REASSIGN OWNED BY kb_regress_alice TO kb_regress_bob;
SET ROLE kb_regress_alice;
SELECT * FROM error_of($$SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://evil.example.com')$$);
SET ROLE kb_regress_carol;
SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://lab.example.com');
-- A base of a role whose privileges the caller lacks is counted, not named.
RESET ROLE;
ALTER TABLE kb_papers.document OWNER TO kb_regress_alice;
SET ROLE kb_regress_carol;
\set VERBOSITY default
SELECT kb_provider_drop('lab');
\set VERBOSITY terse
RESET ROLE;
-- For a base that lost its tables, its creator decides: they may be restored.
DROP SCHEMA kb_papers CASCADE;
SELECT kb_drop('letters');
SET ROLE kb_regress_bob;
SELECT * FROM error_of($$SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://evil.example.com')$$);
SET ROLE kb_regress_alice;
SELECT kb_provider_set('lab', kind => 'openai', base_url => 'https://lab.example.com');
RESET ROLE;
SELECT kb_drop('papers');
SELECT kb_provider_drop('lab');
SELECT kb_revoke_admin('kb_regress_alice'), kb_revoke_admin('kb_regress_bob'), kb_revoke_admin('kb_regress_carol');
DROP OWNED BY kb_regress_alice, kb_regress_bob, kb_regress_carol;
DROP ROLE kb_regress_alice, kb_regress_bob, kb_regress_carol;
-- Without the row that took precedence over it, a built-in provider is used again.
SELECT kb_provider_set('openai', base_url => 'https://lab.example.com', api_key => '');
SELECT kb_create('papers', model => 'openai/m', dimensions => 8) IS NOT NULL AS created;
\set VERBOSITY default
SELECT kb_provider_drop('openai');
\set VERBOSITY terse
SELECT kb_drop('papers');
