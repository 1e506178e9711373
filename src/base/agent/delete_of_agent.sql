DELETE FROM {schema}.document WHERE metadata @> jsonb_build_object('agent_id', $1)
