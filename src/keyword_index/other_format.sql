-- The newest format other than $1. The owner of the base may have dropped the NOT NULL constraint.
SELECT version FROM {schema}.keyword_segment WHERE version IS DISTINCT FROM $1 ORDER BY version DESC NULLS LAST LIMIT 1
