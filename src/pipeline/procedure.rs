//! CALL kb_work(): the work of a worker, done by the calling session.

use std::time::{Duration, Instant};

use super::DEFAULT_SECONDS;
use super::last_act;
use super::transaction::Transactions;
use super::work::{Step, Work};
use crate::error::{Error, Result, raise};
use crate::postgres::interrupt;
use crate::postgres::limit;
use crate::postgres::procedure::procedure;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi;

/// The largest max_seconds: ten years.
const MAX_SECONDS: f64 = 315_360_000.0;
/// The longest wait before it looks for work again.
const MAX_WAIT: Duration = Duration::from_millis(250);

procedure!(kb_work_wrapper, pg_finfo_kb_work_wrapper, f64, call);

/// The procedure kb_work(max_seconds float8).
fn call(seconds: Option<f64>, is_atomic: bool) {
    raise(work(seconds, is_atomic));
}

fn work(seconds: Option<f64>, is_atomic: bool) -> Result<()> {
    let seconds = seconds.unwrap_or(DEFAULT_SECONDS);
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return Err(
            Error::invalid(format!("max_seconds {seconds} is out of range")).hint("Use 0 or more seconds.")
        );
    }
    if is_atomic {
        return Err(Error::in_transaction("CALL kb_work() cannot run inside a transaction block"));
    }
    if snapshot::is_kept() {
        return Err(Error::keeps_snapshot(
            "CALL kb_work() cannot run in a transaction that keeps its snapshot",
        ));
    }
    last_act::register();
    let _own = OwnCode::begin();
    spi::connect_to_commit(|| until(Instant::now() + interrupt::time_of(seconds, Duration::MAX)))
}

/// While it lives, code of the calling role has no limit: that role may run any code itself.
struct OwnCode;

impl OwnCode {
    fn begin() -> OwnCode {
        limit::except(Some(role::current_role()));
        OwnCode
    }
}

impl Drop for OwnCode {
    fn drop(&mut self) {
        limit::except(None);
    }
}

/// Works until the deadline, or until nothing is due before it.
fn until(deadline: Instant) -> Result<()> {
    let mut work = Work::new(Transactions::Procedure, true);
    work.free_own()?;
    work.free_orphans()?;
    work.fail_unknown()?;
    work.queue_due()?;
    work.queue_missed()?;
    work.note_row_security()?;
    loop {
        interrupt::check_for_interrupts();
        let left = deadline.saturating_duration_since(Instant::now());
        match work.step(|_| ())? {
            Step::Worked if !left.is_zero() => {}
            Step::Idle(Some(seconds)) if seconds <= left.as_secs_f64() => {
                interrupt::sleep(interrupt::time_of(seconds.max(0.001), MAX_WAIT));
            }
            _ => return Ok(()),
        }
    }
}
