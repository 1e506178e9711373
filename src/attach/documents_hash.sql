sha256(convert_to(
    content || E'\x01' || coalesce(title, E'\x02') || E'\x01' || metadata::text || E'\x01' || coalesce({mime_type}, E'\x02') || E'\x01'
        || coalesce({language}, E'\x02') || E'\x01', 'UTF8'))
