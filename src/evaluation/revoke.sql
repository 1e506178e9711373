REVOKE ALL ON {schema}.question, {schema}.evaluation FROM {role} CASCADE
