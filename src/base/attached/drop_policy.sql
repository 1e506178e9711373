DROP POLICY {policy} ON {table}
