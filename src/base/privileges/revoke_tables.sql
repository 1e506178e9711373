REVOKE {privileges} ON TABLE {tables} FROM {role} CASCADE
