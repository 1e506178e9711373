//! Backtraces of errors: the environment of a server may ask for them, but clients get none.

use std::backtrace::Backtrace;
use std::env;
use std::ffi::OsString;

/// What the standard library reads when it takes its first backtrace.
const VARIABLES: [&str; 2] = ["RUST_LIB_BACKTRACE", "RUST_BACKTRACE"];

/// pgrx takes a backtrace at each error, and sends it to the client as detail if these variables ask for one. The standard
/// library reads them once and keeps the answer, so they are hidden from its first backtrace. Each library has a copy of its own
/// with an answer of its own: other extensions find the variables as they were.
pub fn disable() {
    let found: Vec<(&str, OsString)> =
        VARIABLES.into_iter().filter_map(|name| Some((name, env::var_os(name)?))).collect();
    // SAFETY: PostgreSQL loads libraries in the only thread of the process, and kb_rag starts none: nothing else reads the
    // environment meanwhile. Where no variable is set, nothing is written.
    unsafe { found.iter().for_each(|(name, _)| env::remove_var(name)) };
    drop(Backtrace::capture());
    // SAFETY: the same.
    unsafe { found.iter().for_each(|(name, value)| env::set_var(name, value)) };
}
