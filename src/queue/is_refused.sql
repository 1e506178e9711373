-- Workers with another library than that of format $1 ended within the last $2 seconds.
SELECT EXISTS (
    SELECT FROM kb_rag.worker_refusal
    WHERE library_format <> $1 AND refused_at > clock_timestamp() - make_interval(secs => $2)
)
