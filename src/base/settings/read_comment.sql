-- The comment on the table of settings.
SELECT obj_description({table}::regclass, 'pg_class')
