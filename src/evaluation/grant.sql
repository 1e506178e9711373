GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON {schema}.question, {schema}.evaluation TO {role}
