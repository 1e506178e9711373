-- The trigger has it cut again.
UPDATE {schema}.document d SET chunker_version = {chunker} WHERE d.id = $1 AND {cut_before}
