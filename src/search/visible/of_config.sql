SELECT c.keyword_number FROM {schema}.chunk c WHERE c.keyword_number = ANY ($1) AND c.text_config = $2
