//! Transactions of a background worker and of a procedure.

use crate::error::{Error, Result};
use crate::postgres::limit;
use crate::postgres::transaction;

/// Which process the transactions belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transactions {
    /// A background worker: no transaction is open between two of them.
    Worker,
    /// A procedure called outside of a transaction block: each of kb_rag's transactions ends with COMMIT, and another
    /// begins at once, empty and without a snapshot.
    Procedure,
}

impl Transactions {
    /// Runs `work` in a transaction of its own. An error, even one of PostgreSQL, undoes it and is returned. Owners'
    /// code in it has one time limit, all together.
    pub fn run<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = limit::of_transaction(|| match self {
            Transactions::Worker => transaction::run_in_worker(work),
            Transactions::Procedure => transaction::run_in_procedure(work),
        });
        match result {
            // kb_rag's own cancellation; any other error keeps its message.
            Err(error) if error.is_canceled() && limit::is_exceeded() => {
                Err(Error::over_limit(limit::message()))
            }
            result => result,
        }
    }

    /// Whether this error ends the running statement: a user canceled it, or it timed out.
    pub fn are_over(self, error: &Error) -> bool {
        self == Transactions::Procedure && error.is_canceled()
    }

    /// Reports an error that does not end the work: to the server's log, or to the caller of the procedure.
    pub fn note(self, error: Error, instead: &str) {
        match self {
            Transactions::Worker => error.log(),
            Transactions::Procedure => error.warn(instead),
        }
    }
}
