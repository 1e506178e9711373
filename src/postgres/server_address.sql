SELECT pg_catalog.host(pg_catalog.inet_server_addr())
