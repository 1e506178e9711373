(
    SELECT n.id, n.document_id, n.heading, n.context, n.content
    FROM {schema}.{next} n WHERE NOT n.is_stale
    UNION ALL
    SELECT o.id, o.document_id, o.heading, {context}, o.content
    FROM {schema}.chunk o WHERE NOT EXISTS (SELECT FROM {schema}.{next} n WHERE n.document_id = o.document_id)
)
