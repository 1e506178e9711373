SELECT pg_catalog.current_database()::pg_catalog.text
