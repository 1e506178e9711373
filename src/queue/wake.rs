//! Starting a worker where none runs: when a transaction that queued something commits, and when a session finds work
//! without a worker, as after a restart of the server.

use std::cell::Cell;
use std::ffi::CStr;
use std::time::{Duration, Instant};

use pgrx::pg_sys;

use super::held;
use super::lock::{CounterSlot, WorkerSlot};
use super::slots::slots;
use super::waiting;
use crate::catalog::{self, format, missed};
use crate::error::{Error, Result, raise};
use crate::postgres::background_worker::{Program, may_start};
use crate::postgres::process;
use crate::postgres::scan::any_row;
use crate::postgres::spi::{Access, Arg, Slot};
use crate::postgres::subtransaction;
use crate::postgres::transaction::{self, End};
use crate::settings;

thread_local! {
    /// Whether the transaction in progress leaves work for a worker.
    static WANTED: Cell<bool> = const { Cell::new(false) };
    /// Whether it has shown old statistics of a base.
    static COUNT_WANTED: Cell<bool> = const { Cell::new(false) };
    static COUNT_ASKED: Cell<Option<Instant>> = const { Cell::new(None) };
    static WATCHING: Cell<bool> = const { Cell::new(false) };
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
    static WOKEN: Cell<Option<Instant>> = const { Cell::new(None) };
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
    /// Whether no worker could be started when that was tried last, and when it was last said to the client.
    static MISSING: Cell<bool> = const { Cell::new(false) };
    static TRIED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// When too few processes were free for a further worker.
    static CROWDED: Cell<Option<Instant>> = const { Cell::new(None) };
    static SAID: Cell<Option<Instant>> = const { Cell::new(None) };
    static REFUSED: Cell<Option<(Instant, bool)>> = const { Cell::new(None) };
}

/// How often a session looks for work without a worker, and requests a count.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The most pages of a table that are looked through for work without a statement.
const MAX_PAGES_AT_A_GLANCE: u32 = 32;
/// How often a session says that no worker could be started.
const SAY_AGAIN: Duration = Duration::from_secs(60);
/// How long sessions start no worker after one has ended because its library has another format.
const REFUSED_FOR: Duration = Duration::from_secs(60);

/// Starts a worker when the transaction commits, or is prepared.
pub fn at_commit() {
    if !are_refused_lately() {
        WANTED.set(true);
        watch();
    }
}

/// Starts the counter of bases when the transaction commits.
pub fn count_at_commit() {
    let lately = COUNT_ASKED.get().is_some_and(|at| at.elapsed() < LOOK_AGAIN);
    if !lately && may_start() && settings::workers() > 0 && !are_refused_lately() {
        COUNT_ASKED.set(Some(Instant::now()));
        COUNT_WANTED.set(true);
        watch();
    }
}

fn watch() {
    if !WATCHING.replace(true) {
        transaction::on_end(transaction_ends);
    }
}

/// Starts a worker if there is work and no worker, as after a restart of the server or where no worker could be
/// started. The functions that use knowledge bases call it; an error here goes to the server's log and does not fail
/// them. Only a cancellation by the user is raised.
pub fn wake_if_idle() {
    let lately = LOOKED.get().is_some_and(|at| at.elapsed() < LOOK_AGAIN);
    if lately || transaction::is_parallel() || IS_WORKER.get() || !may_start() || settings::workers() == 0 {
        return;
    }
    LOOKED.set(Some(Instant::now()));
    if !WorkerSlot::is_none_taken(settings::workers()) {
        return;
    }
    match subtransaction::try_read(has_work) {
        Ok(true) => at_commit(),
        Ok(false) => {}
        Err(error) if error.is_canceled() => raise(Err(error)),
        Err(error) => error.log(),
    }
}

/// Starts a worker now, at most one a second, whatever becomes of the transaction: it is to record what was just seen.
pub fn wake_at_once() {
    let lately = WOKEN.get().is_some_and(|at| at.elapsed() < LOOK_AGAIN);
    if lately
        || transaction::is_parallel()
        || IS_WORKER.get()
        || !may_start()
        || settings::workers() == 0
        || are_refused_lately()
    {
        return;
    }
    WOKEN.set(Some(Instant::now()));
    start_if_possible();
}

/// Whether a worker would end at once because its library has another format than SQL: a worker loads the installed library,
/// which may be newer than that of this session. Looked up at most once a second.
fn are_refused_lately() -> bool {
    if IS_WORKER.get() {
        return false;
    }
    if let Some((_, refused)) = REFUSED.get().filter(|(at, _)| at.elapsed() < LOOK_AGAIN) {
        return refused;
    }
    let refused = catalog::connect(|c| {
        let args = [Arg::new(format::FORMAT), Arg::new(REFUSED_FOR.as_secs_f64())];
        c.query_one(include_str!("is_refused.sql"), Access::Read, &args, |row| row.require::<bool>(1))
    });
    let refused = matches!(refused, Ok(Some(true)));
    REFUSED.set(Some((Instant::now(), refused)));
    refused
}

/// Notes that a worker with this library has ended because its format is not that of SQL, in a table whose shape never
/// changes.
pub fn note_refusal() -> Result<()> {
    missed::as_owner(c"worker_refusal", |c| {
        c.execute(include_str!("note_refusal.sql"), &[Arg::new(format::FORMAT)]).map(drop)
    })
}

/// Whether the database has prepared transactions.
pub fn has_prepared() -> Result<bool> {
    let found = catalog::connect(|c| {
        c.query_one(include_str!("has_prepared.sql"), Access::Read, &[], |row| row.require::<bool>(1))
    })?;
    Ok(found.unwrap_or_default())
}

/// Whether there is any job that a worker could do.
fn has_work() -> Result<bool> {
    if format::difference()?.is_some() || catalog::as_owner(is_plainly_idle)? {
        return Ok(false);
    }
    let found = catalog::connect(|c| {
        c.query_one(include_str!("anything.sql"), Access::Read, &[], |row| row.require::<bool>(1))
    })?;
    Ok(found == Some(true) || held::has_released()?)
}

/// Whether a glance at the tables shows that there is nothing to do. Usually they are small: a session's first call would
/// take half of its time for planning the statement otherwise.
fn is_plainly_idle() -> Result<bool> {
    let any = |table: &CStr, column: &CStr, is_meant: fn(&Slot, i32) -> Result<bool>| {
        catalog::table(table)
            .map_or(Ok(Some(false)), |table| any_row(table, MAX_PAGES_AT_A_GLANCE, column, is_meant))
    };
    let found = [
        any(c"job", c"failed", |row, failed| Ok(!row.require::<bool>(failed)?))?,
        any(c"knowledge_base", c"next_model", |row, model| Ok(row.get::<String>(model)?.is_some()))?,
        any(c"missed_write", c"knowledge_base_id", |_, _| Ok(true))?,
        any(c"web_schedule", c"source_id", |_, _| Ok(true))?,
        any(c"held_job", c"knowledge_base_id", |_, _| Ok(true))?,
    ];
    Ok(found.iter().all(|found| *found == Some(false)))
}

fn transaction_ends(end: End) {
    match end {
        // Another session may commit it, which starts no worker: this one stays as long as there are prepared transactions.
        End::Prepare => {
            if WANTED.replace(false) {
                start_if_of_use();
            }
            COUNT_WANTED.set(false);
        }
        End::Commit => {
            // The next statement tries again where no process was free, at most once a second.
            let is_wanted = WANTED.replace(false) || MISSING.get();
            if is_wanted && !(MISSING.get() && is_recent(TRIED.get())) {
                start_if_of_use();
            }
            if COUNT_WANTED.replace(false) && CounterSlot::is_free() {
                start_counter();
            }
        }
        End::Abort => {
            WANTED.set(false);
            COUNT_WANTED.set(false);
        }
    }
}

/// A worker that is looking for work will find ours; so will one that releases its place, because it looks once more
/// afterwards.
fn start_if_of_use() {
    if may_start() && !IS_WORKER.get() && WorkerSlot::is_one_more_of_use(settings::workers()) {
        start_if_possible();
    } else {
        MISSING.set(false);
    }
}

/// Starts a worker of this database, if as many processes are free as it takes. Without one the work stays queued, and a session
/// says so.
fn start_if_possible() {
    let running = WorkerSlot::count(settings::workers());
    // The first one just tries: only PostgreSQL knows for sure.
    if running > 0 {
        MISSING.set(false);
        // Every commit of a session that writes much would look otherwise.
        if !is_recent(CROWDED.get()) && !start_further() {
            CROWDED.set(Some(Instant::now()));
        }
        return;
    }
    MISSING.set(!start_worker());
    TRIED.set(Some(Instant::now()));
    if MISSING.get() {
        watch();
        report_missing();
    }
}

/// Notes that the database waits for a worker; other workers and the launcher start one when a process is free. The log says so once
/// a minute, and so does each session. Called after a commit: nothing is looked up.
fn report_missing() {
    let slots = slots();
    let database = process::database();
    let hint = "Raise max_worker_processes, and restart the server.";
    waiting::note(database, Duration::ZERO);
    // Another process is just starting or ending.
    if slots.free() > 0 {
        return;
    }
    if waiting::is_to_be_logged(database) {
        let message = format!(
            "no kb_rag worker could be started for the database with OID {}: {slots}",
            database.to_u32()
        );
        Error::remark(message).hint(hint).log();
    }
    if SAID.get().is_none_or(|at| at.elapsed() >= SAY_AGAIN) {
        SAID.set(Some(Instant::now()));
        let message = format!("no worker could be started, queued work waits: {slots}");
        let hint = format!("The next statement that uses a knowledge base tries again. {hint}");
        Error::remark(message).hint(hint).notify();
    }
}

/// Starts a further worker of this database. False if fewer processes are free than it takes.
pub fn start_further() -> bool {
    slots().may_start(WorkerSlot::count(settings::workers())) && start_worker()
}

/// Whether something was looked at a moment ago.
fn is_recent(at: Option<Instant>) -> bool {
    at.is_some_and(|at| at.elapsed() < LOOK_AGAIN)
}

/// Marks this process as a kb_rag worker. Workers start further workers explicitly; other background workers are
/// treated like sessions.
pub fn mark_as_worker() {
    IS_WORKER.set(true);
}

/// Whether this process is a kb_rag worker.
pub fn is_worker() -> bool {
    IS_WORKER.get()
}

/// Starts a worker for this database. False if none can be started (max_worker_processes, a standby): the work stays queued.
pub fn start_worker() -> bool {
    // It may end at once: the next commit asks again whether it was refused, instead of starting another.
    REFUSED.set(None);
    start_worker_in(process::database())
}

/// Starts a worker for a database. False if there is no free slot for one.
pub fn start_worker_in(database: pg_sys::Oid) -> bool {
    program(c"kb_rag worker", c"kb_rag_worker_main").start(database)
}

/// Starts the process that counts the bases of this database, unless the last free process would be used up.
pub fn start_counter() {
    if !slots().may_start(1) {
        return;
    }
    program(c"kb_rag counter", c"kb_rag_counter_main").start(process::database());
}

/// Registers a process that the server starts with itself, and again some seconds after a crash. Only while the
/// postmaster loads the library.
pub fn register_launcher(name: &'static CStr, function: &'static CStr, restart_seconds: i32) {
    program(name, function).register(restart_seconds);
}

fn program(name: &'static CStr, function: &'static CStr) -> Program {
    Program { name, function }
}
