//! The launcher, for kb_rag in shared_preload_libraries: one process that starts a worker in every database after the
//! server's start, so that work left from before continues without a call, and from time to time after that.

use std::time::{Duration, Instant};

use crate::postgres::background_worker::entry_point;
use crate::postgres::interrupt;
use crate::postgres::transaction::databases;
use crate::queue;

/// The server restarts it after a crash.
const RESTART_SECONDS: i32 = 5;
/// The delay before it tries again to start workers that found no free slot.
const ROOM_AGAIN: Duration = Duration::from_secs(1);
/// How often it looks for databases that wait for a worker.
const WAITING_AGAIN: Duration = Duration::from_secs(1);
/// How often each database is looked at: URLs that are fetched again by themselves may be due.
const LOOK_AGAIN: Duration = Duration::from_secs(15 * 60);

/// Registers the launcher; called while the postmaster loads the library.
pub fn register() {
    queue::register_launcher(c"kb_rag launcher", c"kb_rag_launcher_main", RESTART_SECONDS);
}

entry_point!(kb_rag_launcher_main, main);

/// The launcher has no database: it reads only shared catalogs.
fn main() {
    let mut waiting = databases();
    loop {
        waiting.retain(|database| !queue::start_worker_in(*database));
        if !waiting.is_empty() {
            interrupt::sleep(ROOM_AGAIN);
            continue;
        }
        let began = Instant::now();
        while began.elapsed() < LOOK_AGAIN {
            interrupt::sleep(WAITING_AGAIN);
            queue::start_waiting();
        }
        waiting = databases();
    }
}
