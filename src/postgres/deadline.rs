//! A time limit for a call of the session's own, whose expiry the call can report and survive. statement_timeout cancels the
//! statement as ever.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::postgres::subtransaction;
use crate::postgres::test_point::test_time;
use crate::postgres::timer::{self, Timer};

/// The time between two cancellations after the limit: code of a view may trap the first. And the least that statement_timeout must
/// be later than the limit: where both come at once, nobody can tell whose cancellation it was.
const AGAIN: Duration = Duration::from_secs(1);
/// The time in which a cancellation is noticed. Later ones are not of this timer.
const NOTICED: Duration = Duration::from_millis(250);

/// How often the timer has expired since it was armed.
static EXPIRED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static TIMER: Timer = const { Timer::new(expired) };
    static IS_ARMED: Cell<bool> = const { Cell::new(false) };
}

/// Runs in the signal handler: only sets flags.
extern "C-unwind" fn expired() {
    EXPIRED.fetch_add(1, Ordering::Relaxed);
    timer::cancel();
}

fn again() -> Duration {
    test_time("again", AGAIN)
}

/// The timer while it runs.
struct Armed {
    began: Instant,
    /// When it expires first.
    first: Duration,
    /// Whether the first expiry is that of the limit; otherwise it follows that of statement_timeout.
    is_of_limit: bool,
    has_statement_timeout: bool,
}

impl Armed {
    fn begin(limit: Duration) -> Armed {
        let left = timer::until_statement_timeout();
        let (first, is_of_limit) = match left {
            Some(left) if left < limit + again() => (left + again(), false),
            _ => (limit, true),
        };
        EXPIRED.store(0, Ordering::Relaxed);
        IS_ARMED.set(true);
        TIMER.with(|timer| timer.arm_every(first, again()));
        Armed { began: Instant::now(), first, is_of_limit, has_statement_timeout: left.is_some() }
    }

    /// Whether a cancellation that was noticed now is that of the limit, and not of statement_timeout or of a user.
    fn is_own(&self) -> bool {
        let expired = EXPIRED.load(Ordering::Relaxed);
        let statement_timeout_came = self.has_statement_timeout && timer::until_statement_timeout().is_none();
        if expired == 0 || !self.is_of_limit || statement_timeout_came {
            return false;
        }
        let last = self.first + again() * (expired - 1);
        expired == 1 || self.began.elapsed() < last + NOTICED
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        TIMER.with(Timer::disarm);
        IS_ARMED.set(false);
        if EXPIRED.load(Ordering::Relaxed) > 0 && !timer::is_statement_timeout_pending() {
            // The work may have ended before the cancellation took effect, which must not hit what comes next.
            timer::withdraw();
        }
    }
}

/// Runs `work` in a subtransaction for at most `limit`. If it fails, also with an error that PostgreSQL raises, everything is
/// undone, and the transaction can continue. After the time, the error is `late`, and does not end the work of the
/// caller. A call within another has no limit of its own, nor has one that statement_timeout ends at about that time or before.
/// Code that traps every cancellation can go on, as it can after statement_timeout.
pub fn attempt_within<T>(
    limit: Duration,
    late: impl FnOnce() -> Error,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if IS_ARMED.get() {
        return subtransaction::attempt(work);
    }
    let armed = Armed::begin(limit);
    let result = subtransaction::attempt(work);
    let is_own = armed.is_own();
    drop(armed);
    match result {
        Err(error) if error.is_canceled() && is_own => Err(late()),
        result => result,
    }
}
