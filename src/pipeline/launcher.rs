//! The launcher, for kb_rag in shared_preload_libraries: one process that starts a worker in every database after the
//! server's start, so that work left from before continues without a call, and from time to time after that.

use std::time::Duration;

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::worker;
use crate::interrupt;
use crate::queue;

/// The server restarts it after a crash.
const RESTART_SECONDS: i32 = 5;
/// The delay before it tries again to start workers that found no free slot.
const ROOM_AGAIN: Duration = Duration::from_secs(1);
/// How often each database is looked at: URLs that are fetched again by themselves may be due.
const LOOK_AGAIN: Duration = Duration::from_secs(15 * 60);

/// Registers the launcher; called while the postmaster loads the library.
pub fn register() {
    queue::register_launcher(c"kb_rag launcher", c"kb_rag_launcher_main", RESTART_SECONDS);
}

/// Entry point of the launcher.
#[pg_guard]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn kb_rag_launcher_main(_argument: pg_sys::Datum) {
    // SAFETY: the first action of a background worker; without a database it reads only shared catalogues.
    unsafe {
        worker::take_signals();
        pg_sys::BackgroundWorkerInitializeConnection(std::ptr::null(), std::ptr::null(), 0);
    }
    let mut waiting = databases();
    loop {
        waiting.retain(|database| !queue::start_worker_in(*database));
        if waiting.is_empty() {
            interrupt::sleep(LOOK_AGAIN);
            waiting = databases();
        } else {
            interrupt::sleep(ROOM_AGAIN);
        }
    }
}

/// The databases that allow connections.
fn databases() -> Vec<pg_sys::Oid> {
    let mut found = Vec::new();
    // SAFETY: a transaction of this process's own, which scans the shared catalogue pg_database as PostgreSQL's
    // autovacuum launcher does; everything that is opened is closed.
    unsafe {
        pg_sys::StartTransactionCommand();
        let relation = pg_sys::table_open(pg_sys::DatabaseRelationId, pg_sys::AccessShareLock as i32);
        let scan = pg_sys::table_beginscan_catalog(relation, 0, std::ptr::null_mut());
        loop {
            let tuple = pg_sys::heap_getnext(scan, pg_sys::ScanDirection::ForwardScanDirection);
            if tuple.is_null() {
                break;
            }
            let database = pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_database;
            if (*database).datallowconn && !(*database).datistemplate {
                found.push((*database).oid);
            }
        }
        pg_sys::heap_endscan(scan as _);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        pg_sys::CommitTransactionCommand();
    }
    found
}
