//! Background workers of PostgreSQL.

use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStringExt;

use pgrx::pg_sys;

use super::process;

/// A function of this library that a background worker runs.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name that pg_stat_activity shows.
    pub name: &'static CStr,
    /// The function of the library, which [`entry_point`] defines.
    pub function: &'static CStr,
}

impl Program {
    /// Starts it once, for a database. False if there is no free slot, or where [`may_start`] is false.
    pub fn start(self, database: pg_sys::Oid) -> bool {
        if !may_start() {
            return false;
        }
        let mut worker = self.describe();
        worker.bgw_restart_time = pg_sys::BGW_NEVER_RESTART;
        worker.bgw_main_arg = pg_sys::Datum::from(database);
        // SAFETY: a complete description; without a handle nothing is allocated.
        unsafe { pg_sys::RegisterDynamicBackgroundWorker(&mut worker, std::ptr::null_mut()) }
    }

    /// Has the server start it with itself, for no database, and again some seconds after a crash. PostgreSQL logs that it does
    /// not unless the postmaster loads the library now.
    pub fn register(self, restart_seconds: i32) {
        let mut worker = self.describe();
        worker.bgw_restart_time = restart_seconds;
        // SAFETY: a complete description.
        unsafe { pg_sys::RegisterBackgroundWorker(&mut worker) };
    }

    fn describe(self) -> pg_sys::BackgroundWorker {
        // SAFETY: a struct of integers and characters, for which zero is a value.
        let mut worker: pg_sys::BackgroundWorker = unsafe { std::mem::zeroed() };
        copy(&mut worker.bgw_name, self.name);
        copy(&mut worker.bgw_type, self.name);
        // The file that this process has loaded, wherever that is. A bare name is looked up along dynamic_library_path.
        let library = process::library().and_then(|path| CString::new(path.into_os_string().into_vec()).ok());
        copy(&mut worker.bgw_library_name, library.as_deref().unwrap_or(c"kb_rag"));
        copy(&mut worker.bgw_function_name, self.function);
        worker.bgw_flags =
            (pg_sys::BGWORKER_SHMEM_ACCESS | pg_sys::BGWORKER_BACKEND_DATABASE_CONNECTION) as i32;
        worker.bgw_start_time = pg_sys::BgWorkerStartTime::BgWorkerStart_RecoveryFinished;
        worker
    }
}

/// How many background workers the server may have, max_worker_processes.
pub fn max_count() -> u32 {
    // SAFETY: a variable of the process.
    u32::try_from(unsafe { pg_sys::max_worker_processes }).unwrap_or(0)
}

/// A background worker that runs, of PostgreSQL, of kb_rag or of another extension.
pub struct Running {
    /// The invalid OID for none.
    pub database: pg_sys::Oid,
    /// What pg_stat_activity shows as backend_type; empty if it has just ended.
    pub name: String,
}

/// The background workers that run. Those that are being started are not among them. Needs no transaction.
pub fn running() -> Vec<Running> {
    let mut found = Vec::new();
    // SAFETY: copies the state of all processes to memory of this process, which the next call replaces. The entries are valid
    // until then. The type of a worker is a NUL-terminated string in memory of this process, or null.
    unsafe {
        pg_sys::pgstat_clear_backend_activity_snapshot();
        for number in 1..=pg_sys::pgstat_fetch_stat_numbackends() {
            #[cfg(feature = "pg15")]
            let entry = pg_sys::pgstat_fetch_stat_local_beentry(number);
            #[cfg(not(feature = "pg15"))]
            let entry = pg_sys::pgstat_get_local_beentry_by_index(number);
            if entry.is_null() || (*entry).backendStatus.st_backendType != pg_sys::BackendType::B_BG_WORKER {
                continue;
            }
            let status = &(*entry).backendStatus;
            let name = pg_sys::GetBackgroundWorkerTypeByPid(status.st_procpid);
            let name = if name.is_null() {
                String::new()
            } else {
                CStr::from_ptr(name).to_string_lossy().into_owned()
            };
            found.push(Running { database: status.st_databaseid, name });
        }
        pg_sys::pgstat_clear_backend_activity_snapshot();
    }
    found
}

/// Copies a name into an array of fixed size, which must be filled with zeros.
fn copy<const N: usize>(to: &mut [c_char; N], from: &CStr) {
    for (to, from) in to.iter_mut().take(N - 1).zip(from.to_bytes()) {
        *to = *from as c_char;
    }
}

/// Whether workers can be started. Not on a standby, where not even a lock of a worker can be taken.
pub fn may_start() -> bool {
    // SAFETY: read variables of this process and of shared memory.
    unsafe { !pg_sys::RecoveryInProgress() && !pg_sys::IsBinaryUpgrade }
}

/// Whether the postmaster loads the library now, so that workers can be registered.
pub fn may_register() -> bool {
    // SAFETY: variables of the process.
    unsafe { pg_sys::process_shared_preload_libraries_in_progress && !pg_sys::IsBinaryUpgrade }
}

/// Defines the function `$name` of the library, which PostgreSQL calls in a background worker of [`Program`]. It calls `$main`
/// once the worker is connected to its database, or, without one, may read shared catalogs.
macro_rules! entry_point {
    ($name:ident, $main:path) => {
        /// Entry point of a background worker; the argument is the OID of its database.
        #[pgrx::pg_guard]
        #[unsafe(no_mangle)]
        pub extern "C-unwind" fn $name(database: pgrx::pg_sys::Datum) {
            // SAFETY: the first action of a background worker.
            unsafe { $crate::postgres::background_worker::connect(database) };
            $main();
        }
    };
}
pub(crate) use entry_point;

/// Takes the signals of a background worker and connects it to the database of this OID; with 0 to none.
///
/// # Safety
/// Only as the first action of a background worker.
pub unsafe fn connect(database: pg_sys::Datum) {
    // SAFETY: promised by the caller.
    unsafe {
        take_signals();
        let database = pg_sys::Oid::from(database.value() as u32);
        pg_sys::BackgroundWorkerInitializeConnectionByOid(database, pg_sys::InvalidOid, 0);
    }
}

/// PostgreSQL's own handlers, which set flags. Called directly, because pgrx's wrappers are not made for a signal
/// handler.
mod postgres {
    unsafe extern "C-unwind" {
        pub fn die(signal: i32);
        pub fn SignalHandlerForConfigReload(signal: i32);
    }
}

/// Ends at SIGTERM, even in a wait for a lock, and reads the configuration again at SIGHUP.
///
/// # Safety
/// Only at the start of a background worker.
unsafe fn take_signals() {
    // SAFETY: promised by the caller.
    unsafe {
        handle(pg_sys::SIGTERM as i32, postgres::die);
        handle(pg_sys::SIGHUP as i32, postgres::SignalHandlerForConfigReload);
        pg_sys::BackgroundWorkerUnblockSignals();
    }
}

/// # Safety
/// The handler must be one of PostgreSQL's own.
unsafe fn handle(signal: i32, handler: unsafe extern "C-unwind" fn(i32)) {
    // SAFETY: promised by the caller.
    #[cfg(feature = "pg18")]
    unsafe {
        pg_sys::pqsignal_be(signal, Some(handler));
    }
    // SAFETY: promised by the caller.
    #[cfg(not(feature = "pg18"))]
    unsafe {
        pg_sys::pqsignal(signal, Some(handler));
    }
}

/// Shows an activity in pg_stat_activity.
pub fn report(activity: &str) {
    if let Ok(activity) = CString::new(activity) {
        // SAFETY: a NUL-terminated string, which is copied.
        unsafe { pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, activity.as_ptr()) };
    }
}

/// Shows in pg_stat_activity that the worker is idle.
pub fn report_idle() {
    // SAFETY: no string.
    unsafe { pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_IDLE, std::ptr::null()) };
}

/// Adds what the worker did to the cumulative statistics, outside of a transaction. PostgreSQL limits how often, unless `at_once`.
pub fn report_statistics(at_once: bool) {
    // SAFETY: counters of the process.
    unsafe { pg_sys::pgstat_report_stat(at_once) };
}
