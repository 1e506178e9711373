SELECT run FROM {schema}.evaluation WHERE name = $1
