//! Subtransactions around work of kb_rag.

use std::ffi::c_void;
use std::panic::AssertUnwindSafe;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::prelude::*;

use crate::error::{Error, Result};

/// The (sub)transaction in progress.
pub fn current() -> pg_sys::SubTransactionId {
    // SAFETY: reads a variable of this process.
    unsafe { pg_sys::GetCurrentSubTransactionId() }
}

/// How a subtransaction ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// What it did is its parent's from now on.
    Commit {
        own: pg_sys::SubTransactionId,
        parent: pg_sys::SubTransactionId,
    },
    Abort {
        own: pg_sys::SubTransactionId,
    },
}

/// Has `callback` called at the end of each subtransaction, for the life of the process.
pub fn on_end(callback: fn(End)) {
    // SAFETY: `ends` gets the function that it calls.
    unsafe { pg_sys::RegisterSubXactCallback(Some(ends), callback as *mut c_void) };
}

#[pg_guard]
unsafe extern "C-unwind" fn ends(
    event: pg_sys::SubXactEvent::Type,
    own: pg_sys::SubTransactionId,
    parent: pg_sys::SubTransactionId,
    callback: *mut c_void,
) {
    let end = match event {
        pg_sys::SubXactEvent::SUBXACT_EVENT_COMMIT_SUB => End::Commit { own, parent },
        pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB => End::Abort { own },
        _ => return,
    };
    // SAFETY: the function that `on_end` registered.
    let callback = unsafe { std::mem::transmute::<*mut c_void, fn(End)>(callback) };
    callback(end);
}

/// Runs `work` in a subtransaction. If it fails, everything is undone and its locks are released.
pub fn run<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    within(work, Result::is_ok)
}

/// Runs `work`, which only reads, and releases the locks it took.
pub fn read<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    within(work, |_| false)
}

/// The same, and an error that PostgreSQL raises is returned: the transaction can continue.
pub fn try_read<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    try_read_unless(work, |_| false)
}

/// The same, but an error of PostgreSQL's for which `is_raised` holds is raised again as it was: a canceled statement is to end.
pub fn try_read_unless<T>(work: impl FnOnce() -> Result<T>, is_raised: impl Fn(&Error) -> bool) -> Result<T> {
    let outer = Outer::begin();
    let result = catching(work, &mut |error| {
        let caught = error_of(&error);
        if is_raised(&caught) {
            outer.end(false);
            error.rethrow()
        }
        caught
    });
    outer.end(false);
    result
}

/// Runs `work` in a subtransaction. If it fails, also with an error that PostgreSQL raises, everything is undone, and the
/// transaction can continue.
pub fn attempt<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let outer = Outer::begin();
    let result = caught(work);
    outer.end(result.is_ok());
    result
}

/// Turns an error that PostgreSQL raised into an [`Error`]. The caller ends the (sub)transaction that failed.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catching(work, &mut |error| error_of(&error))
}

fn error_of(caught: &CaughtError) -> Error {
    match caught {
        CaughtError::PostgresError(report)
        | CaughtError::ErrorReport(report)
        | CaughtError::RustPanic { ereport: report, .. } => Error::caught(report),
    }
}

/// Runs `work`. If PostgreSQL raises an error for which `other` has another one, that is returned instead. As with
/// [`caught`], the caller must fail.
pub fn translated<T>(work: impl FnOnce() -> Result<T>, other: impl Fn(Error) -> Option<Error>) -> Result<T> {
    catching(work, &mut |error| {
        let translated = match &error {
            CaughtError::PostgresError(report) => other(Error::caught(report)),
            _ => None,
        };
        translated.unwrap_or_else(|| error.rethrow())
    })
}

fn within<T>(work: impl FnOnce() -> Result<T>, is_kept: impl FnOnce(&Result<T>) -> bool) -> Result<T> {
    let outer = Outer::begin();
    let result = catching(work, &mut |error| {
        // A handler further out would end this subtransaction instead of its own.
        outer.end(false);
        error.rethrow()
    });
    outer.end(is_kept(&result));
    result
}

/// Runs `work`. If PostgreSQL raises an error, `handle` says which one is returned, or raises it again.
fn catching<T>(work: impl FnOnce() -> Result<T>, handle: &mut dyn FnMut(CaughtError) -> Error) -> Result<T> {
    let mut work = Some(work);
    let mut result = None;
    let failure = run_catching(&mut || result = work.take().map(|work| work()), handle);
    match (failure, result) {
        (Some(failure), _) => Err(failure),
        (None, Some(result)) => result,
        (None, None) => Err(Error::internal("work was not done")),
    }
}

/// The part of [`catching`] that is not compiled again for each work.
#[inline(never)]
fn run_catching(work: &mut dyn FnMut(), handle: &mut dyn FnMut(CaughtError) -> Error) -> Option<Error> {
    let work = AssertUnwindSafe(work);
    let mut handle = AssertUnwindSafe(handle);
    PgTryBuilder::new(move || {
        let work = work;
        (work.0)();
        None
    })
    .catch_others(move |error| {
        let handle = &mut handle;
        Some((handle.0)(error))
    })
    .execute()
}

/// What is restored when a subtransaction ends.
#[derive(Clone, Copy)]
struct Outer {
    context: pg_sys::MemoryContext,
    owner: pg_sys::ResourceOwner,
}

impl Outer {
    fn begin() -> Outer {
        // SAFETY: in a transaction; what begins here is ended by `end`.
        unsafe {
            let outer = Outer { context: pg_sys::CurrentMemoryContext, owner: pg_sys::CurrentResourceOwner };
            pg_sys::BeginInternalSubTransaction(std::ptr::null());
            pg_sys::MemoryContextSwitchTo(outer.context);
            outer
        }
    }

    fn end(self, is_kept: bool) {
        // SAFETY: the subtransaction that was begun is the innermost one, or has failed.
        unsafe {
            if is_kept {
                pg_sys::ReleaseCurrentSubTransaction();
            } else {
                pg_sys::RollbackAndReleaseCurrentSubTransaction();
            }
            pg_sys::MemoryContextSwitchTo(self.context);
            pg_sys::CurrentResourceOwner = self.owner;
        }
    }
}
