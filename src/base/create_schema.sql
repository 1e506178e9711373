-- Run as the extension's owner, so that who may create bases need not have the right to create any schema.
CREATE SCHEMA {schema} AUTHORIZATION {owner}
