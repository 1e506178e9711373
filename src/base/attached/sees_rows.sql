-- The positions of the keys whose rows are seen.
SELECT k.place FROM ROWS FROM ({arrays}) WITH ORDINALITY AS k ({parts}, place) JOIN {table} t ON {has_key}
