GRANT {privileges} ON SCHEMA {schema} TO {role}
