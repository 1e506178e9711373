GRANT {privileges} ON TABLE {tables} TO {role}
