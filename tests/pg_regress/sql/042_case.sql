-- Names that differ in case only are two bases: kb_create says so.
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT kb_create('support', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('Support', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('Übersicht', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_create('ÜBERSICHT', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT state FROM error_of($$SELECT kb_create('support', model => 'fake/test', dimensions => 8)$$);
-- Not of bases that the caller may not see.
CREATE ROLE kb_test042_owner;
SELECT kb_grant_admin('kb_test042_owner');
SET ROLE kb_test042_owner;
SELECT kb_create('SUPPORT', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
RESET ROLE;
SELECT kb_drop(name) FROM kb_list();
SELECT kb_revoke_admin('kb_test042_owner');
DROP ROLE kb_test042_owner;
