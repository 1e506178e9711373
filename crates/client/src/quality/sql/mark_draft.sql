UPDATE {schema}.question SET is_draft = true WHERE id = $1
