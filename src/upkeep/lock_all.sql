LOCK TABLE {schema}.document, {schema}.chunk, {schema}.embedding IN ACCESS EXCLUSIVE MODE
