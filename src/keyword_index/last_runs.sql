SELECT DISTINCT segment FROM {schema}.keyword_run WHERE ctid >= format('(%s,0)', $1)::tid
