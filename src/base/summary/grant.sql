GRANT {privileges} ON {schema}.summary TO {role}
