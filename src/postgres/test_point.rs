//! Places where a test holds a process, and limits that a test lowers. The feature `test_points` adds them, with two
//! settings and no SQL; in any other build both functions do nothing.

#[cfg(feature = "test_points")]
use std::str::FromStr;
use std::time::Duration;

#[cfg(feature = "test_points")]
use pgrx::pg_sys;

#[cfg(feature = "test_points")]
use crate::{postgres::guc, settings};

/// A place in the code. If `kb_rag.test_points` has an entry name=number, the process waits here while another session
/// holds the advisory lock of that number; `pg_locks` shows that it waits.
#[cfg(feature = "test_points")]
pub fn test_point(name: &str) {
    let Some(key) = entry::<i64>(&settings::test_points(), name) else { return };
    // SAFETY: only reads the state of the backend.
    if unsafe { pg_sys::IsTransactionState() } {
        // The lock_timeout of work that gives way to others does not end the wait.
        let waited = guc::with_only(&[(c"lock_timeout", c"0")], || {
            wait_for(key);
            Ok(())
        });
        debug_assert!(waited.is_ok(), "the wait returns no error");
    } else {
        // Settings are changed in transactions only.
        wait_for(key);
    }
}

/// Waits while another session holds the advisory lock `key`.
#[cfg(feature = "test_points")]
fn wait_for(key: i64) {
    let key = [Some(pg_sys::Datum::from(key))];
    // SAFETY: functions of PostgreSQL that take an int8 and return nothing.
    unsafe {
        pgrx::direct_function_call_as_datum(pg_sys::pg_advisory_lock_shared_int8, &key);
        pgrx::direct_function_call_as_datum(pg_sys::pg_advisory_unlock_shared_int8, &key);
    }
}

/// The value of `name` in a list such as `a=1, b=2`.
#[cfg(feature = "test_points")]
fn entry<T: FromStr>(list: &str, name: &str) -> Option<T> {
    let (_, value) =
        list.split(',').filter_map(|entry| entry.split_once('=')).find(|(key, _)| key.trim() == name)?;
    value.trim().parse().ok()
}

/// As above, in a build without test points.
#[cfg(not(feature = "test_points"))]
#[inline(always)]
pub fn test_point(_name: &str) {}

/// `default`, or what `kb_rag.test_limits` gives for `name`: a list such as `a=1, b=2`.
#[cfg(feature = "test_points")]
pub fn test_limit<T: FromStr>(name: &str, default: T) -> T {
    entry(&settings::test_limits(), name).unwrap_or(default)
}

/// `default`.
#[cfg(not(feature = "test_points"))]
#[inline(always)]
pub fn test_limit<T>(_name: &str, default: T) -> T {
    default
}

/// [`test_limit`] for a time, which is given in milliseconds.
#[cfg(feature = "test_points")]
pub fn test_time(name: &str, default: Duration) -> Duration {
    entry(&settings::test_limits(), name).map_or(default, Duration::from_millis)
}

/// `default`.
#[cfg(not(feature = "test_points"))]
#[inline(always)]
pub fn test_time(_name: &str, default: Duration) -> Duration {
    default
}
