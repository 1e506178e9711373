//! Kinds of errors, by which callers decide what to do about them.

use pgrx::prelude::*;

use super::Error;

impl Error {
    /// Whether it is [`Error::null_value`].
    pub fn is_null_value(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED
    }

    /// Whether it is [`Error::not_ready`].
    pub fn is_not_ready(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
    }

    /// Whether code of a table's owner exceeded its time limit.
    pub fn is_over_limit(&self) -> bool {
        self.is_over_limit
    }

    /// Whether it is [`Error::damaged`].
    pub fn is_damage(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED
    }

    /// Whether the cause is a missing or failing model, model file or provider, as opposed to invalid arguments.
    pub fn is_unavailable(&self) -> bool {
        self.is_of_provider
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
                    | PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
            )
    }

    /// Whether the arguments caused the error, or a missing or failing model: a chat model that called a tool can try again.
    pub fn is_of_call(&self) -> bool {
        self.is_unavailable()
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
                    | PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED
                    | PgSqlErrorCode::ERRCODE_DATA_EXCEPTION
                    | PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED
            )
    }

    /// Whether a privilege or a policy denies it.
    pub fn is_denied(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE
    }

    /// Whether something of the same name is there already.
    pub fn is_exists(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT
    }

    /// Whether the contents of a file or page caused it: it is damaged, of a kind that cannot be read, or exceeds a limit.
    pub fn is_of_file(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
                | PgSqlErrorCode::ERRCODE_DATA_EXCEPTION
                | PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED
        )
    }

    /// Whether it is [`Error::internal`], or Citus's for what it does not expect.
    pub fn is_internal(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_INTERNAL_ERROR
    }

    /// Whether the session that raised it has ended, with its server or alone. It was that of another server.
    pub fn is_end_of_session(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_ADMIN_SHUTDOWN | PgSqlErrorCode::ERRCODE_CRASH_SHUTDOWN
        )
    }

    /// Whether another server does not answer: class 08, and the SQLSTATEs of one that starts or stops.
    pub fn is_of_connection(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_CONNECTION_EXCEPTION
                | PgSqlErrorCode::ERRCODE_CONNECTION_DOES_NOT_EXIST
                | PgSqlErrorCode::ERRCODE_CONNECTION_FAILURE
                | PgSqlErrorCode::ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION
                | PgSqlErrorCode::ERRCODE_SQLSERVER_REJECTED_ESTABLISHMENT_OF_SQLCONNECTION
                | PgSqlErrorCode::ERRCODE_ADMIN_SHUTDOWN
                | PgSqlErrorCode::ERRCODE_CRASH_SHUTDOWN
                | PgSqlErrorCode::ERRCODE_CANNOT_CONNECT_NOW
        )
    }

    /// Whether the session or the server must end what it does: a canceled statement (57014), 57P01 and class 53. Where other
    /// failures are only reported, these are raised.
    pub fn ends_work(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_ADMIN_SHUTDOWN
            || self.lacks_resources()
            || self.is_canceled()
    }

    /// Class 53.
    fn lacks_resources(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_RESOURCES
                | PgSqlErrorCode::ERRCODE_DISK_FULL
                | PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY
                | PgSqlErrorCode::ERRCODE_TOO_MANY_CONNECTIONS
                | PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED
        )
    }

    /// Whether the server cannot write at present, whatever is written: class 53, such as a full disk, an I/O error (58030) and
    /// a read-only transaction (25006).
    pub fn is_of_server(&self) -> bool {
        self.lacks_resources()
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_IO_ERROR | PgSqlErrorCode::ERRCODE_READ_ONLY_SQL_TRANSACTION
            )
    }

    /// Whether another transaction caused the error, not the statement itself.
    pub fn is_conflict(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE
                | PgSqlErrorCode::ERRCODE_T_R_DEADLOCK_DETECTED
                | PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE
        )
    }

    /// Whether a statement would have written a row twice.
    pub fn is_repeated_row(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_CARDINALITY_VIOLATION
    }

    /// Whether something does not exist that was named, such as a base.
    pub fn is_not_found(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
    }

    /// Whether other objects depend on something.
    pub fn is_depended_on(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST
    }

    /// Whether PostgreSQL found no column, table, function or operator of a name.
    pub fn is_of_missing_object(&self) -> bool {
        matches!(
            self.sqlstate,
            PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN
                | PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE
                | PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION
        )
    }

    /// Whether tables of a base are not as kb_rag made them: a fault of that base alone.
    pub fn is_of_altered_tables(&self) -> bool {
        self.is_damage()
            || matches!(
                self.sqlstate,
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
                    | PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH
                    | PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN
                    | PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED
            )
    }

    /// Whether other transactions hold a lock that is needed.
    pub fn is_lock(&self) -> bool {
        self.sqlstate == PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE
    }

    /// Whether the statement was canceled, by a user or by a timeout. An owner's code can raise the same SQLSTATE, but
    /// that is an ordinary error.
    pub fn is_canceled(&self) -> bool {
        self.is_interrupt && !self.is_over_limit
    }
}
