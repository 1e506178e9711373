//! The processes that all databases share for their background workers: how many there are, what a worker does when none is free,
//! and the databases that wait for one.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kb_rag_core::worker_slots::Slots;
use pgrx::pg_sys;

use super::lock::WorkerSlot;
use super::{waiting, wake};
use crate::error::Result;
use crate::postgres::background_worker::{self, may_start};
use crate::postgres::process;
use crate::postgres::role;
use crate::postgres::test_point::test_time;
use crate::settings;

/// What the names of kb_rag's processes begin with.
const OWN: &str = "kb_rag ";
/// A worker that does one piece of work for so long is slow: its provider is, or the piece is large.
const SLOW: Duration = Duration::from_secs(5);
/// How often a process looks for databases that wait.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often a worker counts the processes: that copies the state of all sessions.
const COUNT_AGAIN: Duration = Duration::from_millis(100);
/// The most databases that are named.
const MAX_NAMES: usize = 10;

thread_local! {
    /// The number of the place that this worker has.
    static NUMBER: Cell<Option<u16>> = const { Cell::new(None) };
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Whether it is going to leave its process to others: that is decided once.
    static LEAVES: Cell<bool> = const { Cell::new(false) };
    static COUNTED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The processes of the server. Needs no transaction.
pub fn slots() -> Slots {
    count(&background_worker::running())
}

fn count(running: &[background_worker::Running]) -> Slots {
    let own = running.iter().filter(|worker| worker.name.starts_with(OWN)).count();
    Slots { total: background_worker::max_count(), used: running.len() as u32, own: own as u32 }
}

/// Begins to work at a place: the database does not wait any more.
pub fn begin_work(slot: &WorkerSlot) {
    NUMBER.set(Some(slot.number()));
    waiting::forget(process::database());
}

/// Leaves the process to others. The database then waits, if work is left that no other of its workers does: `left` is the time until
/// it is due.
pub fn leave(slot: WorkerSlot, left: Option<Duration>) {
    let is_further = slot.is_further();
    NUMBER.set(None);
    LEAVES.set(false);
    slot.give_up();
    if let Some(time) = left.filter(|_| !is_further) {
        waiting::note(process::database(), time);
    }
}

/// Whether a worker has done one piece of work for too long to keep its process from others.
pub fn is_slow(time: Duration) -> bool {
    time >= test_time("slow_work", SLOW)
}

/// Whether this worker is to leave its process to others before its next call. Never for a session.
pub fn must_leave(is_slow: bool) -> bool {
    let Some(number) = NUMBER.get() else { return false };
    if LEAVES.get() {
        return true;
    }
    if COUNTED.get().is_some_and(|at| at.elapsed() < COUNT_AGAIN) {
        return false;
    }
    COUNTED.set(Some(Instant::now()));
    let slots = slots();
    // Nothing else is looked up while a process is free.
    if slots.free() > 0 {
        return false;
    }
    let is_further = WorkerSlot::is_further_than(number);
    LEAVES.set(
        slots.must_leave(is_further, is_slow, false)
            || slots.must_leave(is_further, is_slow, true) && waiting::give_way(process::database()),
    );
    LEAVES.get()
}

/// Starts a worker in each of the databases that wait, as far as processes are free. At most once a second.
pub fn start_waiting() {
    if LOOKED.get().is_some_and(|at| at.elapsed() < LOOK_AGAIN) {
        return;
    }
    LOOKED.set(Some(Instant::now()));
    for database in waiting::others(process::database()) {
        if slots().free() == 0 || !wake::start_worker_in(database) {
            return;
        }
        waiting::forget(database);
    }
}

/// Why work of this database waits although workers are allowed: none could be started. Names of other databases are for members
/// of pg_read_all_stats.
pub fn missing_worker() -> Result<Option<String>> {
    if !may_start() || settings::workers() == 0 || !WorkerSlot::is_none_taken(settings::workers()) {
        return Ok(None);
    }
    let running = background_worker::running();
    let slots = count(&running);
    if slots.free() > 0 && !waiting::is_noted(process::database()) {
        return Ok(None);
    }
    let names =
        if role::has_privileges_of(role::PG_READ_ALL_STATS) { names(&running) } else { String::new() };
    Ok(Some(format!("no worker could be started: {slots}{names}")))
}

/// How many workers which databases have.
fn names(running: &[background_worker::Running]) -> String {
    let mut by_database: BTreeMap<String, usize> = BTreeMap::new();
    for worker in running.iter().filter(|worker| worker.name.starts_with(OWN)) {
        if worker.database != pg_sys::InvalidOid
            && let Some(name) = process::database_name(worker.database)
        {
            *by_database.entry(name).or_default() += 1;
        }
    }
    let mut most: Vec<(String, usize)> = by_database.into_iter().collect();
    most.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    let rest = most.len().saturating_sub(MAX_NAMES);
    most.truncate(MAX_NAMES);
    let mut parts: Vec<String> =
        most.iter().map(|(name, count)| format!("{count} in database \"{name}\"")).collect();
    if rest > 0 {
        parts.push(format!("others in {rest} more"));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}
