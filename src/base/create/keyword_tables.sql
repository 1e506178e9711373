-- The keyword index. Small segments are rows of keyword_segment alone. Merged rows are deleted, so both tables are vacuumed after
-- a number of rows, not a share. A lock to truncate them would stop searches.
CREATE TABLE {schema}.keyword_segment (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks int NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs int NOT NULL,
    version smallint NOT NULL,
    data bytea
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);
ALTER TABLE {schema}.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE {schema}.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN {schema}.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN {schema}.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN {schema}.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN {schema}.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN {schema}.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN {schema}.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN {schema}.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN {schema}.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN {schema}.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN {schema}.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN {schema}.keyword_segment.data IS 'its only row, where it is small';
CREATE TABLE {schema}.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (segment, lexeme, ordinal)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);
ALTER TABLE {schema}.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE {schema}.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN {schema}.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN {schema}.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN {schema}.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN {schema}.keyword_run.data IS 'lexemes with their postings';
