-- The tables and partitions with triggers of base $1, of its source $2 or of all: the attached tables first, each before its
-- partitions.
SELECT t.tgrelid
FROM pg_trigger t
WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure
    AND ($2 IS NULL OR substring(t.tgargs FROM length($1) + 2) = convert_to($2, 'UTF8') || '\x00'::bytea)
    AND (
        substring(t.tgargs FOR length($1) + 1) = convert_to($1, 'UTF8') || '\x00'::bytea
        -- The source was that of a base that is gone, as where kb_adopt gave it another id.
        OR $2 IS NOT NULL AND NOT EXISTS (
            SELECT FROM kb_rag.knowledge_base k
            WHERE substring(t.tgargs FOR length($1) + 1) = convert_to(k.id::text, 'UTF8') || '\x00'::bytea
        )
    )
GROUP BY t.tgrelid
ORDER BY bool_or(t.tgparentid = 0 AND t.tgtype & 4 <> 0) DESC, t.tgrelid
