-- A file whose text is larger than a document may be.
SET kb_rag.test_limits = 'max_output_bytes=1048576';
SELECT * FROM error_of($$SELECT kb_extract(convert_to(repeat('too much text ', 80000), 'UTF8'), 'big.txt')$$);
SELECT length(content) FROM kb_extract(convert_to(repeat('much text ', 80000), 'UTF8'), 'big.txt');
