//! Errors by their SQLSTATE.

use pgrx::prelude::*;

use super::Error;

impl Error {
    /// 22023: an argument outside its range or list of values.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message)
    }

    /// 22004: NULL for the argument `name`, which needs a value.
    pub fn null(name: &str) -> Self {
        Self::new(
            PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
            format!("argument \"{name}\" must not be null"),
        )
    }

    /// 22004: NULL in a column that kb_rag made NOT NULL.
    pub fn null_value(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, message)
    }

    /// 22000: a vector of the wrong dimension or with NaN or infinity.
    pub fn bad_vector(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DATA_EXCEPTION, message)
    }

    /// 22000: a file that cannot be read.
    pub fn bad_file(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DATA_EXCEPTION, message)
    }

    /// 54000: a documented limit is exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message)
    }

    /// 42804: a column has another type than kb_create gave it.
    pub fn wrong_type(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
    }

    /// 42804 for a column of a base's table that is missing or has another type than kb_create gave it.
    pub fn altered_column(table: &str, column: &str) -> Self {
        Self::wrong_type(format!("column \"{column}\" of table {table} is missing or altered"))
            .hint("Restore the columns that kb_create made.")
    }

    /// 42601: text that PostgreSQL's parser does not take.
    pub fn syntax(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_SYNTAX_ERROR, message)
    }

    /// 42703: a table has no such column.
    pub fn missing_column(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, message)
    }

    /// 42P01: no such table.
    pub fn missing_table(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message)
    }

    /// 42704: no such knowledge base, model or document.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message)
    }

    /// 42710: it exists already.
    pub fn exists(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT, message)
    }

    /// 2BP01: other objects depend on it.
    pub fn depended_on(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST, message)
    }

    /// 42501: the caller lacks a privilege.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
    }

    /// 55000: a prerequisite is missing, such as a model's files.
    pub fn not_ready(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
    }

    /// 0A000: kb_rag does not do this.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
    }

    /// 58000: a provider cannot be reached or is overloaded; a later attempt may succeed.
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_SYSTEM_ERROR, message).of_provider()
    }

    /// 38000: a provider rejected the request or returned an invalid response.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_EXTERNAL_ROUTINE_EXCEPTION, message).of_provider()
    }

    /// 55P03: other transactions hold a lock that is needed.
    pub fn locked(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE, message)
    }

    /// 40001: another transaction changed what this one has read; running it again works.
    pub fn serialization(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
    }

    /// 57014: code of a table's owner exceeded its time limit in a worker or in CALL kb_work().
    pub fn over_limit(message: impl Into<String>) -> Self {
        let mut error = Self::new(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, message);
        error.is_over_limit = true;
        error.hint(
            "Look at the triggers, constraints and expressions of indexes and defaults on the tables of the knowledge base, \
             then run kb_retry.",
        )
    }

    /// 57014: a call exceeded its own time limit; the statement was not canceled.
    pub fn late(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, message)
    }

    /// 25001: not allowed in a transaction that keeps its snapshot.
    pub fn keeps_snapshot(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_ACTIVE_SQL_TRANSACTION, message)
            .hint("Run it in a transaction of isolation level READ COMMITTED.")
    }

    /// 25001: not allowed inside a transaction block.
    pub fn in_transaction(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_ACTIVE_SQL_TRANSACTION, message)
            .hint("Run it as a statement of its own, outside of BEGIN and of functions.")
    }

    /// XX000: an internal inconsistency, such as a catalog that does not hold what kb_rag wrote.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message)
    }

    /// XX002: what kb_rag stored cannot be read.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED, message)
    }

    /// 08006: another server ended the connection.
    pub fn lost(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_CONNECTION_FAILURE, message)
    }

    /// 00000: not an error, but a message for [`Error::notify`].
    pub fn remark(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, message)
    }

    /// 01000: not an error, but a warning for [`Error::notify`].
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(PgSqlErrorCode::ERRCODE_WARNING, message)
    }
}
