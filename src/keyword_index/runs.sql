SELECT k.data FROM {schema}.keyword_run k WHERE k.segment = $1 ORDER BY k.lexeme, k.ordinal
