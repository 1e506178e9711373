//! PostgreSQL's own parameters: the settings that every statement of kb_rag runs under, and the one that code of a
//! table's owner must not set.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::time::Duration;

use pgrx::pg_sys;

use super::process;
use crate::error::Result;

/// Runs `work` with `search_path` pinned to pg_catalog, so that a malicious operator or function elsewhere is never
/// found, with backslashes as ordinary characters of strings, and with the given settings. All are undone at the end, as is whatever an owner's code sets meanwhile.
pub fn with_settings<T>(settings: &[(&CStr, &CStr)], work: impl FnOnce() -> Result<T>) -> Result<T> {
    let pinned = Pinned::begin(settings);
    let result = work();
    pinned.end();
    result
}

/// What [`with_settings`] sets, until it ends. It is apart from the work, like other beginnings and ends in this folder: what is
/// generic is compiled once for each work.
pub(super) struct Pinned {
    level: Level,
    _callers: CallersPath,
}

impl Pinned {
    #[inline(never)]
    pub(super) fn begin(settings: &[(&CStr, &CStr)]) -> Pinned {
        let callers = CallersPath::keep();
        // SAFETY: reads a variable of this process.
        let reads_backslashes = unsafe { !pg_sys::standard_conforming_strings };
        let pinned = [(c"search_path", PINNED_PATH), (c"standard_conforming_strings", c"on")];
        let pinned = pinned.get(..if reads_backslashes { 2 } else { 1 }).unwrap_or(&pinned);
        let level = Level::begin(pg_sys::GucContext::PGC_USERSET, &[pinned, settings].concat());
        Pinned { level, _callers: callers }
    }

    #[inline(never)]
    pub(super) fn end(self) {
        self.level.end();
    }
}

/// Pins the search_path of [`with_settings`] until the (sub)transaction ends, for the statements that come after this one too.
pub fn pin_path_of_transaction() {
    // SAFETY: both are NUL-terminated, and a transaction is open.
    unsafe {
        set(pg_sys::GucContext::PGC_USERSET, c"search_path", PINNED_PATH, pg_sys::GucAction::GUC_ACTION_LOCAL)
    };
}

/// Settings that give values the same text in every session.
pub const TEXT_SETTINGS: [(&CStr, &CStr); 9] = [
    (c"DateStyle", c"ISO, YMD"),
    (c"IntervalStyle", c"postgres"),
    (c"TimeZone", c"UTC"),
    (c"extra_float_digits", c"1"),
    (c"bytea_output", c"hex"),
    (c"array_nulls", c"on"),
    (c"quote_all_identifiers", c"off"),
    (c"transform_null_equals", c"off"),
    (c"xmloption", c"content"),
];

/// The search_path of kb_rag's statements.
const PINNED_PATH: &CStr = c"pg_catalog, pg_temp";

thread_local! {
    /// The search_path that [`with_settings`] replaces; None where it does not.
    static CALLERS_PATH: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// The search_path of a caller, kept as long as this lives.
struct CallersPath {
    outer: Option<Option<CString>>,
}

impl CallersPath {
    /// Keeps the present one, unless it is kb_rag's own.
    fn keep() -> CallersPath {
        // SAFETY: a setting, which is NUL-terminated.
        let present = unsafe { CStr::from_ptr(pg_sys::namespace_search_path) };
        let outer = (present != PINNED_PATH).then(|| CALLERS_PATH.replace(Some(present.to_owned())));
        CallersPath { outer }
    }
}

impl Drop for CallersPath {
    fn drop(&mut self) {
        if let Some(outer) = self.outer.take() {
            CALLERS_PATH.set(outer);
        }
    }
}

/// Runs `work`, in whose statements every name is qualified, with the search_path of the caller of kb_rag: for code of policies,
/// which sees the same rows as in a statement of the caller.
pub fn with_callers_path<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: as in `CallersPath::keep`.
    let is_pinned = unsafe { CStr::from_ptr(pg_sys::namespace_search_path) } == PINNED_PATH;
    match CALLERS_PATH.with_borrow(Clone::clone).filter(|_| is_pinned) {
        Some(path) => with_only(&[(c"search_path", &path)], work),
        None => work(),
    }
}

/// The same for statements that find rows by keys, whatever PostgreSQL knows of the table.
pub fn with_index<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    with_settings(&[(c"enable_seqscan", c"off")], work)
}

/// Runs `work`, in whose statements every name is qualified, with the given settings and the caller's search_path. All are undone at
/// the end, as is whatever an owner's code sets meanwhile.
pub fn with_only<T>(settings: &[(&CStr, &CStr)], work: impl FnOnce() -> Result<T>) -> Result<T> {
    within(pg_sys::GucContext::PGC_USERSET, settings, work)
}

/// The directories that extensions may be installed in: PostgreSQL's share directory, and since PostgreSQL 18 those of
/// extension_control_path, in its order.
pub fn extension_directories() -> Vec<PathBuf> {
    let share = process::share_directory();
    // SAFETY: a look-up by name that does not fail where there is no such setting. The value is NUL-terminated, and copied.
    let path = unsafe {
        let value = pg_sys::GetConfigOption(c"extension_control_path".as_ptr(), true, false);
        (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
    };
    let path = path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let mut found: Vec<PathBuf> = path
        .split(':')
        .filter_map(|entry| match entry.strip_prefix("$system") {
            Some("") => Some(share.clone()),
            Some(below) => below.strip_prefix('/').map(|below| share.join("extension").join(below)),
            None => (!entry.is_empty()).then(|| PathBuf::from(entry)),
        })
        .collect();
    if !found.contains(&share) {
        found.push(share);
    }
    found
}

/// Whether a library in this process has a setting of this name. One that only a file or a statement has named is none: PostgreSQL
/// keeps its value for a library that may be loaded later.
pub fn is_defined(name: &CStr) -> bool {
    // SAFETY: look-ups by a NUL-terminated name, which do not fail where there is no such setting.
    unsafe {
        !pg_sys::GetConfigOption(name.as_ptr(), true, false).is_null()
            && pg_sys::GetConfigOptionFlags(name.as_ptr(), true) & pg_sys::GUC_CUSTOM_PLACEHOLDER as i32 == 0
    }
}

/// The deadlock_timeout of work that gives way to other sessions: autovacuum gives way to it after this time, and a deadlock is
/// found before another session finds it.
pub const YIELDING_DEADLOCK_TIMEOUT: &CStr = c"100ms";

/// How long [`yielding`] work waits for a lock: shorter than the default deadlock_timeout of other sessions.
const YIELDING_LOCK_TIMEOUT: &CStr = c"750ms";

/// Runs `work`, which gives way to other sessions: it fails if it waits long for a lock, and usually finds a deadlock before
/// the other session does. `search_path` is as in [`with_settings`].
pub fn yielding<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Only superusers may set it, but CALL kb_work() runs in the session of any administrator of a base.
    let deadlocks = [(c"deadlock_timeout", YIELDING_DEADLOCK_TIMEOUT)];
    within(pg_sys::GucContext::PGC_SUSET, &deadlocks, || {
        with_settings(&[(c"lock_timeout", YIELDING_LOCK_TIMEOUT)], work)
    })
}

fn within<T>(
    context: pg_sys::GucContext::Type,
    settings: &[(&CStr, &CStr)],
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let level = Level::begin(context, settings);
    let result = work();
    level.end();
    result
}

/// A nest level of settings. Where an error unwinds, the end of the (sub)transaction closes it.
struct Level(i32);

impl Level {
    #[inline(never)]
    fn begin(context: pg_sys::GucContext::Type, settings: &[(&CStr, &CStr)]) -> Level {
        // SAFETY: the nest level is closed by `end`, or by the end of the (sub)transaction.
        let level = unsafe { pg_sys::NewGUCNestLevel() };
        for (name, value) in settings {
            // SAFETY: for the nest level opened above.
            unsafe { save(context, name, value) };
        }
        Level(level)
    }

    #[inline(never)]
    fn end(self) {
        // SAFETY: closes the nest level that `begin` opened. `true`, for a commit, would keep what was SET within.
        unsafe { pg_sys::AtEOXact_GUC(false, self.0) };
    }
}

/// Sets a parameter until the end of the nest level.
///
/// # Safety
/// Inside a nest level of [`pg_sys::NewGUCNestLevel`].
unsafe fn save(context: pg_sys::GucContext::Type, name: &CStr, value: &CStr) {
    // SAFETY: the caller promises the nest level to which GUC_ACTION_SAVE belongs.
    unsafe { set(context, name, value, pg_sys::GucAction::GUC_ACTION_SAVE) };
}

/// # Safety
/// In a transaction; GUC_ACTION_SAVE inside a nest level of [`pg_sys::NewGUCNestLevel`].
unsafe fn set(context: pg_sys::GucContext::Type, name: &CStr, value: &CStr, action: pg_sys::GucAction::Type) {
    // SAFETY: both are NUL-terminated; the caller promises the rest.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            context,
            pg_sys::GucSource::PGC_S_SESSION,
            action,
            true,
            0,
            false,
        );
    }
}

/// Runs `work`, whose statement may contain a key: an error in it keeps the statement out of the server's log.
pub fn concealing_statement<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let level = Level::begin(pg_sys::GucContext::PGC_SUSET, &[(c"log_min_error_statement", c"panic")]);
    let result = work();
    // On an error the end of the (sub)transaction closes the level, after the error was logged.
    if result.is_ok() {
        level.end();
    }
    result
}

/// How long the session waits for a lock at most; None where there is no limit.
pub fn lock_timeout() -> Option<Duration> {
    // SAFETY: a setting in milliseconds.
    let milliseconds = unsafe { pg_sys::LockTimeout };
    (milliseconds > 0).then(|| Duration::from_millis(milliseconds.unsigned_abs().into()))
}

/// The name that the session gives its application; empty where it gives none.
pub fn application_name() -> &'static CStr {
    // SAFETY: a setting, NULL or NUL-terminated. It is read before anything can change it: callers keep no reference.
    unsafe { if pg_sys::application_name.is_null() { c"" } else { CStr::from_ptr(pg_sys::application_name) } }
}

/// The memory that building an index may take, in bytes.
pub fn maintenance_work_mem() -> i64 {
    // SAFETY: a setting in kilobytes.
    i64::from(unsafe { pg_sys::maintenance_work_mem }) * 1024
}

/// Sets a parameter that superusers may set for the life of the process, in spite of what the database or the role sets.
pub fn set_for_process(name: &CStr, value: &CStr) {
    // SAFETY: NUL-terminated strings.
    unsafe {
        pg_sys::SetConfigOption(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_SUSET,
            pg_sys::GucSource::PGC_S_OVERRIDE,
        );
    }
}

/// Makes it an error to set a parameter whose name begins with this prefix, unless a library defines it.
pub fn reserve_prefix(prefix: &CStr) {
    // SAFETY: a NUL-terminated string, which is copied.
    unsafe { pg_sys::MarkGUCPrefixReserved(prefix.as_ptr()) };
}

/// Reads the configuration files again if a reload was requested. For background workers, outside of a transaction.
pub fn reload() {
    // SAFETY: variables of the process.
    unsafe {
        if std::ptr::read_volatile(&raw const pg_sys::ConfigReloadPending) != 0 {
            pg_sys::ConfigReloadPending = 0;
            pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP);
        }
    }
}

/// Refuses changes of transaction_timeout while it lives: its expiry ends the session, and code of a table's owner
/// could set it in another role's session. The parameter exists since PostgreSQL 17.
pub struct KeepTransactionTimeout {
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    before: pg_sys::GucContext::Type,
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
