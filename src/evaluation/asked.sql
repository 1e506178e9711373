SELECT question FROM {schema}.question
