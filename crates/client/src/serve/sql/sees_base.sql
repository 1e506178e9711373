-- A row if the role may read the base.
SELECT b.name FROM {extension}.kb_list() b WHERE b.name = $1
