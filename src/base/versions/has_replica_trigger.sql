-- Whether the table $1 has the trigger; ENABLE TRIGGER ALL makes it one for other sessions.
SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = $1 AND tgname = 'kb_rag_replicated' AND tgenabled IN ('D', 'R'))
