//! The context of errors that PostgreSQL raises, which pgrx leaves out.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::postgres::subtransaction;

thread_local! {
    /// The context of the last error in `translated`.
    static CONTEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `work`. If PostgreSQL raises an error for which `other` has another one, by its context, that is returned instead. The caller must
/// fail.
pub fn translated<T>(
    work: impl FnOnce() -> Result<T>,
    other: impl Fn(Error, &str) -> Option<Error>,
) -> Result<T> {
    CONTEXT.take();
    subtransaction::translated(
        || {
            let _recorder = Recorder::begin();
            work()
        },
        move |error| other(error, &CONTEXT.take()),
    )
}

/// Is called by PostgreSQL when it raises an error, until it is dropped.
struct Recorder(Box<pg_sys::ErrorContextCallback>);

impl Recorder {
    fn begin() -> Recorder {
        // SAFETY: the list of callbacks of this process. The new first one stays where it is until `drop` takes it out again.
        unsafe {
            let mut callback = Box::new(pg_sys::ErrorContextCallback {
                previous: pg_sys::error_context_stack,
                callback: Some(record),
                arg: std::ptr::null_mut(),
            });
            pg_sys::error_context_stack = &raw mut *callback;
            Recorder(callback)
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // SAFETY: what was the first one before, whose owner outlives this one.
        unsafe { pg_sys::error_context_stack = self.0.previous };
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn record(_arg: *mut c_void) {
    // SAFETY: PostgreSQL calls it while it builds a message, which can be copied into another memory context than that of errors.
    let context = unsafe {
        PgMemoryContexts::TopMemoryContext.switch_to(|_| {
            let copy = pg_sys::CopyErrorData();
            let is_error = (*copy).elevel >= PgLogLevel::ERROR as i32;
            let context = (is_error && !(*copy).context.is_null())
                .then(|| CStr::from_ptr((*copy).context).to_string_lossy().into_owned());
            pg_sys::FreeErrorData(copy);
            context
        })
    };
    if let Some(context) = context {
        CONTEXT.set(context);
    }
}
