//! Starting a worker where none runs: when a transaction that queued something commits, and once in a session that finds
//! work left by an earlier life of the server.

use std::cell::Cell;
use std::ffi::CStr;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::lock::WorkerSlot;
use crate::error::Result;
use crate::settings;
use crate::spi::Access;

thread_local! {
    /// Whether the transaction in progress leaves work for a worker.
    static WANTED: Cell<bool> = const { Cell::new(false) };
    static WATCHING: Cell<bool> = const { Cell::new(false) };
    static LOOKED: Cell<bool> = const { Cell::new(false) };
}

/// Has a worker run when the transaction commits.
pub fn at_commit() {
    WANTED.set(true);
    if !WATCHING.replace(true) {
        // SAFETY: a function of the right signature that lives as long as the backend.
        unsafe { pg_sys::RegisterXactCallback(Some(transaction_ends), std::ptr::null_mut()) };
    }
}

/// The first call of a session has a worker run where work is left from before, as after a restart of the server.
pub fn wake_once() -> Result<()> {
    // SAFETY: no precondition.
    let parallel = unsafe { pg_sys::IsInParallelMode() };
    if parallel || is_worker() || !may_start() || LOOKED.replace(true) || settings::workers() == 0 {
        return Ok(());
    }
    let found = super::catalogue(|c| {
        c.query_one(include_str!("anything.sql"), Access::Read, &[], |row| row.require::<bool>(1))
    })?;
    if found == Some(true) {
        at_commit();
    }
    Ok(())
}

#[pg_guard]
unsafe extern "C-unwind" fn transaction_ends(
    event: pg_sys::XactEvent::Type,
    _argument: *mut std::ffi::c_void,
) {
    // A prepared transaction is committed by somebody else, some time: the next call wakes a worker then.
    match event {
        pg_sys::XactEvent::XACT_EVENT_COMMIT if WANTED.replace(false) => start_if_none_runs(),
        pg_sys::XactEvent::XACT_EVENT_ABORT | pg_sys::XactEvent::XACT_EVENT_PREPARE => WANTED.set(false),
        _ => {}
    }
}

/// The worker that gives its place up looks once more after that, so what was committed before we looked is seen.
fn start_if_none_runs() {
    if may_start() && settings::workers() > 0 && !is_worker() && WorkerSlot::is_free(0) {
        start_worker();
    }
}

/// Not on a standby, where even the lock that is looked at cannot be taken.
fn may_start() -> bool {
    // SAFETY: no precondition.
    unsafe { !pg_sys::RecoveryInProgress() && !pg_sys::IsBinaryUpgrade }
}

fn is_worker() -> bool {
    // SAFETY: a variable of the process, set for background workers.
    unsafe { !pg_sys::MyBgworkerEntry.is_null() }
}

/// Starts a worker for this database. Where none can be started (max_worker_processes, a standby) the work stays queued.
pub fn start_worker() {
    // SAFETY: a variable of the backend.
    start_worker_in(unsafe { pg_sys::MyDatabaseId });
}

/// Starts a worker for a database.
pub fn start_worker_in(database: pg_sys::Oid) {
    if !may_start() {
        return;
    }
    let mut worker = describe(c"kb_rag worker", c"kb_rag_worker_main");
    worker.bgw_restart_time = pg_sys::BGW_NEVER_RESTART;
    worker.bgw_main_arg = pg_sys::Datum::from(database);
    // SAFETY: a complete description; without a handle nothing is allocated. False where there is no room.
    unsafe { pg_sys::RegisterDynamicBackgroundWorker(&mut worker, std::ptr::null_mut()) };
}

/// Has the server start a process when it has started, and again some seconds after a crash. Only while the library is
/// loaded by the postmaster.
pub fn register_launcher(name: &CStr, function: &CStr, restart_seconds: i32) {
    let mut launcher = describe(name, function);
    launcher.bgw_restart_time = restart_seconds;
    // SAFETY: a complete description.
    unsafe { pg_sys::RegisterBackgroundWorker(&mut launcher) };
}

fn describe(name: &CStr, function: &CStr) -> pg_sys::BackgroundWorker {
    // SAFETY: a struct of integers and characters, for which zero is a value.
    let mut worker: pg_sys::BackgroundWorker = unsafe { std::mem::zeroed() };
    copy(&mut worker.bgw_name, name);
    copy(&mut worker.bgw_type, name);
    copy(&mut worker.bgw_library_name, c"$libdir/kb_rag");
    copy(&mut worker.bgw_function_name, function);
    worker.bgw_flags = (pg_sys::BGWORKER_SHMEM_ACCESS | pg_sys::BGWORKER_BACKEND_DATABASE_CONNECTION) as i32;
    worker.bgw_start_time = pg_sys::BgWorkerStartTime::BgWorkerStart_RecoveryFinished;
    worker
}

/// Copies a name into one of the fixed size, which is zero throughout.
fn copy<const N: usize>(to: &mut [std::ffi::c_char; N], from: &CStr) {
    for (to, from) in to.iter_mut().take(N - 1).zip(from.to_bytes()) {
        *to = *from as std::ffi::c_char;
    }
}
