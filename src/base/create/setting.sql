-- The settings stay with the data, so that kb_adopt finds them if the catalog is lost.
CREATE TABLE {schema}.setting (
    name text PRIMARY KEY,
    value text
);
COMMENT ON TABLE {schema}.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN {schema}.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN {schema}.setting.value IS 'as text';
