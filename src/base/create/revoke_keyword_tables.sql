REVOKE ALL ON {schema}.keyword_segment, {schema}.keyword_run FROM {grantee} CASCADE
