DROP VIEW {schema}.collection RESTRICT
