//! Locks of tables, bases and rows, taken without causing deadlocks for users.
//!
//! Of transactions that wait for each other PostgreSQL ends one, often a user's. So kb_rag waits for a table lock only
//! while it holds none of the other locks that it needs. It takes those once they are free; otherwise it releases all
//! of them, lets others pass and begins again. It never waits in line to strengthen a lock, nor for a row while it
//! holds others.
//!
//! This file locks tables, `base` all tables of a base, `row` its row of the catalog, `short_wait` many bases that one
//! statement shows. `gate` keeps searches out while tables are replaced. The locks of workers are in `queue`.

mod base;
pub mod gate;
mod row;
mod short_wait;

use std::time::{Duration, Instant};

use pgrx::{Uuid, pg_sys};

use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::interrupt;
use crate::postgres::limit;
use crate::postgres::relation;
use crate::postgres::spi::{Access, Arg, Planning};
use crate::postgres::subtransaction;
use crate::postgres::test_point::{test_point, test_time};

pub use base::Lockable;
use gate::Gate;
pub use row::{row_for_no_key_update, row_for_update};
pub use short_wait::{Extent, ShortWait};

/// The interval between two checks whether a lock is free.
const POLL: Duration = Duration::from_millis(1);
/// How long locks already taken are held, at first and at most, while others are not free.
const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_millis(500);
/// How long to try before the gate is closed.
const WITH_OPEN_GATE: Duration = Duration::from_millis(20);
/// Work that takes no longer than this may block all users of a base.
pub const MOMENT: Duration = Duration::from_secs(1);
/// The interval between two checks whether waiting longer can succeed.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long to wait for users of a base where the session has no lock_timeout.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a table is locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockMode {
    RowShare,
    RowExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

impl LockMode {
    /// Whether VACUUM and ANALYZE prevent it.
    fn conflicts_with_vacuum(self) -> bool {
        !matches!(self, LockMode::RowShare | LockMode::RowExclusive)
    }
}

/// A lock of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableLock {
    pub table: pg_sys::Oid,
    pub mode: LockMode,
}

impl TableLock {
    /// The same lock on several tables.
    pub fn for_tables(tables: impl IntoIterator<Item = pg_sys::Oid>, mode: LockMode) -> Vec<TableLock> {
        tables.into_iter().map(|table| TableLock { table, mode }).collect()
    }

    fn number(self) -> u32 {
        match self.mode {
            LockMode::RowShare => pg_sys::RowShareLock,
            LockMode::RowExclusive => pg_sys::RowExclusiveLock,
            LockMode::Share => pg_sys::ShareLock,
            LockMode::ShareRowExclusive => pg_sys::ShareRowExclusiveLock,
            LockMode::Exclusive => pg_sys::ExclusiveLock,
            LockMode::AccessExclusive => pg_sys::AccessExclusiveLock,
        }
    }

    /// Callers that need a table check that it still exists.
    fn wait(self) {
        relation::lock(self.table, self.number());
    }

    fn try_take(self) -> bool {
        relation::try_lock(self.table, self.number())
    }

    /// The same where this transaction holds a weaker lock that others wait for. Before PostgreSQL 17, a lock that
    /// nobody holds does not count as free while others queue for it; a waiter that holds a weaker lock is nevertheless
    /// put ahead of them.
    fn try_strengthen(self) -> Result<bool> {
        if self.try_take() {
            return Ok(true);
        }
        #[cfg(any(feature = "pg15", feature = "pg16"))]
        if Users::for_locks(&[self])?.all.is_empty() {
            // Another transaction may have taken it in between; without a timeout this one would wait for it.
            return guc::with_settings(&[(c"lock_timeout", c"1s")], || {
                self.wait();
                Ok(true)
            });
        }
        Ok(false)
    }

    fn give_back(self) {
        relation::unlock(self.table, self.number());
    }
}

/// How long to wait for other transactions.
#[derive(Clone, Copy)]
pub struct Patience(Option<Instant>);

impl Patience {
    /// Until `max_time` from now.
    pub fn from_duration(max_time: Duration) -> Patience {
        Patience(Some(Instant::now() + max_time))
    }

    /// Until lock_timeout, or without an end.
    pub fn of_session() -> Patience {
        Patience(guc::lock_timeout().map(|max_time| Instant::now() + max_time))
    }

    /// Until lock_timeout; without one 10 seconds, or as long as the work took that would be lost.
    pub fn for_work_since(began: Instant) -> Patience {
        Patience::from_duration(guc::lock_timeout().unwrap_or_else(|| PATIENCE.max(began.elapsed())))
    }

    fn is_over(self) -> bool {
        self.0.is_some_and(|ends| Instant::now() >= ends)
    }
}

/// What is locked: its name for messages, and the base whose gate holds back searches meanwhile.
pub struct Subject<'a> {
    pub name: &'a str,
    pub gate: Option<Uuid>,
}

/// Takes the locks that `list` gives, all or none. Once they are taken `list` is called again: a concurrent change may
/// require more locks.
pub fn acquire(
    subject: &Subject,
    patience: Patience,
    list: impl Fn() -> Result<Vec<TableLock>>,
) -> Result<()> {
    // Waiting for others does not count as time of a base's owner.
    limit::without(|| acquire_in_turns(subject, patience, list))
}

fn acquire_in_turns(
    subject: &Subject,
    patience: Patience,
    list: impl Fn() -> Result<Vec<TableLock>>,
) -> Result<()> {
    let mut first: Option<TableLock> = None;
    let mut hold = test_time("short", SHORT);
    loop {
        let mut locks = list()?;
        if let Some(place) = first.and_then(|first| locks.iter().position(|lock| *lock == first)) {
            locks.swap(0, place);
        }
        let Some(next) = locks.first().copied() else { return Ok(()) };
        next.wait();
        test_point("lock.first_taken");
        let mut attempt = Attempt { locks: &locks, taken: vec![next] };
        first = attempt.take_rest(subject, hold)?;
        if first.is_none() {
            if list()?.iter().all(|lock| locks.contains(lock)) {
                return Ok(());
            }
            attempt.give_back();
            continue;
        }
        attempt.give_back();
        if patience.is_over() {
            return Err(Users::for_locks(&locks)?.error(subject));
        }
        interrupt::sleep(hold);
        hold = LONG.min(hold * 2);
    }
}

/// Makes locks that this transaction holds stronger, or takes locks in addition to them. Waits for none of them: if a
/// transaction that uses one of the tables waits for this one, it fails with 55P03 at once.
pub fn strengthen(subject: &Subject, patience: Patience, locks: &[TableLock]) -> Result<()> {
    limit::without(|| strengthen_in_turns(subject, patience, locks))
}

fn strengthen_in_turns(subject: &Subject, patience: Patience, locks: &[TableLock]) -> Result<()> {
    let mut hold = test_time("short", SHORT);
    loop {
        let mut attempt = Attempt { locks, taken: Vec::new() };
        if attempt.take_rest(subject, hold)?.is_none() {
            return Ok(());
        }
        attempt.give_back();
        test_point("lock.given_back");
        // Transactions that waited at the gate, or for the released locks, continue now.
        interrupt::sleep(hold);
        let users = Users::for_locks(locks)?;
        if !users.waiting.is_empty() || patience.is_over() {
            return Err(users.error(subject));
        }
        hold = LONG.min(hold * 2);
    }
}

/// Repeats `work` for some seconds while it fails because others hold locks; between two attempts it releases the locks
/// that they wait for. `work` gets whether the last attempt took only a moment, so that it may block all users from its
/// beginning.
pub fn retrying<T>(work: impl Fn(bool) -> Result<T>) -> Result<T> {
    let patience = Patience::for_work_since(Instant::now());
    let mut is_short = false;
    loop {
        let began = Instant::now();
        match subtransaction::run(|| work(is_short)) {
            Err(error) if error.is_lock() && !patience.is_over() => {
                interrupt::sleep(test_time("short", SHORT));
            }
            result => return result,
        }
        is_short = began.elapsed() < MOMENT;
    }
}

struct Attempt<'a> {
    locks: &'a [TableLock],
    taken: Vec<TableLock>,
}

impl Attempt<'_> {
    /// Takes the missing locks as they become free. Returns one that is still busy after `hold`, or once users of the
    /// tables wait for this transaction.
    fn take_rest(&mut self, subject: &Subject, hold: Duration) -> Result<Option<TableLock>> {
        let began = Instant::now();
        let (mut gate, mut looked) = (None, began);
        let busy = loop {
            let Some(busy) = self.try_rest()? else { break None };
            if began.elapsed() >= hold {
                break Some(busy);
            }
            if gate.is_none() && began.elapsed() >= WITH_OPEN_GATE {
                gate = subject.gate.and_then(Gate::try_close);
                if gate.is_some() {
                    test_point("lock.gate_closed");
                }
            }
            if looked.elapsed() >= LOOK_AGAIN {
                cancel_autovacuum(self.locks)?;
                if !Users::for_locks(self.locks)?.waiting.is_empty() {
                    break Some(busy);
                }
                looked = Instant::now();
            }
            interrupt::sleep(POLL);
        };
        if let Some(gate) = gate {
            gate.open();
        }
        Ok(busy)
    }

    fn try_rest(&mut self) -> Result<Option<TableLock>> {
        for lock in self.locks {
            if !self.taken.contains(lock) {
                if !lock.try_strengthen()? {
                    return Ok(Some(*lock));
                }
                self.taken.push(*lock);
            }
        }
        Ok(None)
    }

    fn give_back(self) {
        self.taken.into_iter().rev().for_each(TableLock::give_back);
    }
}

/// Cancels autovacuum of the tables. PostgreSQL does so for a session that waits in line for a lock, after deadlock_timeout;
/// these locks are not waited for in line.
fn cancel_autovacuum(locks: &[TableLock]) -> Result<()> {
    let conflicting = locks.iter().filter(|lock| lock.mode.conflicts_with_vacuum());
    let tables: Vec<pg_sys::Oid> = conflicting.map(|lock| lock.table).collect();
    if tables.is_empty() {
        return Ok(());
    }
    let sql = include_str!("cancel_autovacuum.sql");
    catalog::connect(|c| {
        c.query_one(sql, Access::Write, &[Arg::new(tables)], |row| row.require::<i64>(1)).map(|_| ())
    })
}

/// Other transactions that use the tables.
struct Users {
    all: Vec<i32>,
    /// Those that wait for this transaction.
    waiting: Vec<i32>,
}

impl Users {
    fn for_locks(locks: &[TableLock]) -> Result<Users> {
        let tables: Vec<pg_sys::Oid> = locks.iter().map(|lock| lock.table).collect();
        let users = catalog::connect(|c| {
            let args = [Arg::new(tables)];
            c.query(include_str!("users.sql"), Access::Write, Planning::Generic, &args, |row| {
                Ok((row.require::<i32>(1)?, row.require::<bool>(2)?))
            })
        })?;
        let waiting = users.iter().filter(|(_, waits)| *waits).map(|(pid, _)| *pid).collect();
        Ok(Users { all: users.into_iter().map(|(pid, _)| pid).collect(), waiting })
    }

    fn error(&self, subject: &Subject) -> Error {
        let named = |pids: &[i32]| pids.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
        let error = Error::locked(format!("could not lock {}: other transactions use it", subject.name));
        let error = if !self.waiting.is_empty() {
            error.detail(format!(
                "Transactions that have used it wait for this one: processes {}.",
                named(&self.waiting)
            ))
        } else if !self.all.is_empty() {
            error.detail(format!("It is in use by processes {}.", named(&self.all)))
        } else {
            error
        };
        error.hint("End the transactions that have read or written it, or run this again later.")
    }
}

/// How long to wait for rows that others have locked, while this transaction may hold rows too: some seconds in all,
/// and not while another transaction waits for this one.
pub struct RowPatience(Instant);

impl RowPatience {
    /// Until `max_time` from now.
    pub fn from_duration(max_time: Duration) -> RowPatience {
        RowPatience(Instant::now() + max_time)
    }

    /// Waits a little. False if waiting longer is of no use.
    pub fn wait(&self) -> Result<bool> {
        if Instant::now() >= self.0 || is_waited_for()? {
            return Ok(false);
        }
        interrupt::sleep(LOOK_AGAIN);
        Ok(true)
    }
}

fn is_waited_for() -> Result<bool> {
    let found = catalog::connect(|c| {
        c.query_one(include_str!("waiters.sql"), Access::Write, &[], |row| row.require::<bool>(1))
    })?;
    Ok(found == Some(true))
}
