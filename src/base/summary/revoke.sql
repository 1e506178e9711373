REVOKE ALL ON {schema}.summary FROM {role} CASCADE
