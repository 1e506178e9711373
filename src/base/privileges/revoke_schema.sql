REVOKE {privileges} ON SCHEMA {schema} FROM {role} CASCADE
