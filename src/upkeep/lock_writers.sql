LOCK TABLE {schema}.document, {schema}.chunk IN SHARE ROW EXCLUSIVE MODE
