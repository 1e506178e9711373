SELECT id FROM {schema}.source
WHERE kind = 'url' AND location = $1 AND options->>'agent_id' IS NOT DISTINCT FROM $2
ORDER BY id
