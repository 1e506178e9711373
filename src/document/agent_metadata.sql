-- Metadata $1 with the agent's id $2 and name $3; and a key that it has with another value.
SELECT $1 || o.own, (
        SELECT min(e.key) FROM jsonb_each(o.own) e WHERE $1 -> e.key <> e.value
    )
FROM (SELECT jsonb_strip_nulls(jsonb_build_object('agent_id', $2, 'agent', $3)) AS own) o
