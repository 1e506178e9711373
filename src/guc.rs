//! PostgreSQL's own parameters that code of a table's owner must not set.

/// Refuses changes of transaction_timeout while it lives: its expiry ends the session, and code of a table's owner
/// could set it in another role's session. The parameter exists since PostgreSQL 17.
pub struct KeepTransactionTimeout {
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    before: pgrx::pg_sys::GucContext::Type,
}

#[cfg(not(any(feature = "pg17", feature = "pg18")))]
impl KeepTransactionTimeout {
    /// Begins to refuse them.
    pub fn begin() -> KeepTransactionTimeout {
        KeepTransactionTimeout {}
    }
}

#[cfg(any(feature = "pg17", feature = "pg18"))]
mod since_17 {
    use std::cell::Cell;
    use std::ptr;

    use pgrx::pg_sys;

    use super::KeepTransactionTimeout;

    thread_local! {
        static RECORD: Cell<*mut pg_sys::config_generic> = const { Cell::new(ptr::null_mut()) };
    }

    /// PostgreSQL's record of the parameter; its address is fixed for the life of the process.
    fn record() -> *mut pg_sys::config_generic {
        if RECORD.get().is_null() {
            // SAFETY: a look-up by name, which returns null where there is no such parameter.
            RECORD.set(unsafe { pg_sys::find_option(c"transaction_timeout".as_ptr(), false, true, 0) });
        }
        RECORD.get()
    }

    /// Sets the context in which the parameter can be changed; returns the previous one.
    fn replace(context: pg_sys::GucContext::Type) -> pg_sys::GucContext::Type {
        // SAFETY: null, or a parameter of this process, which no other thread reads.
        unsafe { record().as_mut() }.map_or(context, |record| std::mem::replace(&mut record.context, context))
    }

    impl KeepTransactionTimeout {
        /// Begins to refuse them, with PostgreSQL's error for a parameter that only the server sets.
        pub fn begin() -> KeepTransactionTimeout {
            KeepTransactionTimeout { before: replace(pg_sys::GucContext::PGC_INTERNAL) }
        }
    }

    impl Drop for KeepTransactionTimeout {
        fn drop(&mut self) {
            replace(self.before);
        }
    }
}
