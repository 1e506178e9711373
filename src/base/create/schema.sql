-- Run as the extension's owner: roles that may create bases need not have the privilege to create schemas.
CREATE SCHEMA {schema} AUTHORIZATION {owner}
