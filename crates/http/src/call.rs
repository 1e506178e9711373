//! The running call: its deadline, its check for interrupts, and the one place where anything waits.
//!
//! ureq calls the parts that are plugged in here without any arguments of the caller, so the call is kept in
//! a thread-local variable.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};

use crate::fault::{Fault, text};
use crate::pace::Pace;
use crate::{Request, Slowest};

/// The longest time between two checks for interrupts.
const SLICE: Duration = Duration::from_millis(50);

struct Call {
    check_interrupts: fn(),
    checked_at: Instant,
    deadline: Instant,
    connect_timeout: Duration,
    connecting_until: Option<Instant>,
    connected: bool,
    slowest: Option<Slowest>,
    /// From the first byte of the answer on: when it arrived, and the pace since then.
    answered: Option<(Instant, Option<Pace>)>,
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

fn with<T>(f: impl FnOnce(&mut Call) -> T) -> Option<T> {
    CALL.with_borrow_mut(|call| call.as_mut().map(f))
}

/// Ends the call when dropped, by return or unwinding.
pub(crate) struct Running(());

impl Drop for Running {
    fn drop(&mut self) {
        CALL.set(None);
    }
}

/// Begins a call.
pub(crate) fn begin(check_interrupts: fn(), request: &Request) -> Running {
    let now = Instant::now();
    CALL.set(Some(Call {
        check_interrupts,
        checked_at: now,
        deadline: after(now, request.timeout),
        connect_timeout: request.connect_timeout,
        connecting_until: None,
        connected: false,
        slowest: request.slowest,
        answered: None,
    }));
    Running(())
}

/// A time too far in the future for the clock counts as a year.
fn after(now: Instant, time: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    now + time.min(YEAR)
}

/// Notes that a connection is being made, which has a shorter deadline.
pub(crate) fn connecting() {
    with(|call| {
        call.connected = true;
        call.connecting_until = Some(after(Instant::now(), call.connect_timeout));
    });
}

/// Notes that the connection is open.
pub(crate) fn connected() {
    with(|call| call.connecting_until = None);
}

/// Notes that bytes of the answer have arrived.
pub(crate) fn answered(bytes: usize) {
    with(|call| {
        let slowest = call.slowest;
        let (began, pace) = call.answered.get_or_insert_with(|| (Instant::now(), slowest.map(Pace::new)));
        if let Some(pace) = pace {
            pace.received(began.elapsed(), bytes);
        }
    });
}

/// Whether this call made a connection rather than reusing one.
pub(crate) fn is_new_connection() -> bool {
    with(|call| call.connected).unwrap_or(false)
}

/// Whether any part of the answer has arrived.
pub(crate) fn is_answered() -> bool {
    with(|call| call.answered.is_some()).unwrap_or(false)
}

fn check_interrupts() {
    let check = with(|call| {
        call.checked_at = Instant::now();
        call.check_interrupts
    });
    // Outside the borrow, because the check may unwind.
    if let Some(check) = check {
        check();
    }
}

/// Checks for interrupts when that is due, and returns the time left before the deadline.
pub(crate) fn tick() -> Result<Duration, Fault> {
    if with(|call| call.checked_at.elapsed() >= SLICE).unwrap_or(false) {
        check_interrupts();
    }
    with(|call| {
        let now = Instant::now();
        let left = call.deadline.saturating_duration_since(now);
        if left.is_zero() {
            return Err(Fault::TimedOut);
        }
        if let Some((began, Some(pace))) = &mut call.answered
            && pace.is_too_slow(began.elapsed())
            && let Some(slowest) = call.slowest
        {
            return Err(Fault::TooSlow(slowest));
        }
        match call.connecting_until.map(|until| until.saturating_duration_since(now)) {
            Some(Duration::ZERO) => {
                Err(Fault::NoConnection(format!("no connection within {:?}", call.connect_timeout)))
            }
            Some(connecting) => Ok(left.min(connecting)),
            None => Ok(left),
        }
    })
    .unwrap_or(Err(Fault::TimedOut))
}

/// Waits until one of `fds` is ready. False if `until` comes first.
pub(crate) fn wait(fds: &mut [PollFd<'_>], until: Option<Instant>) -> Result<bool, Fault> {
    loop {
        let mut time = tick()?.min(SLICE);
        if let Some(until) = until {
            time = time.min(until.saturating_duration_since(Instant::now()));
        }
        let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        match poll(fds, Some(&time)) {
            Ok(0) if until.is_some_and(|until| until <= Instant::now()) => return Ok(false),
            Ok(0) => {}
            Ok(_) => return Ok(true),
            // A signal arrived: check for interrupts at once.
            Err(rustix::io::Errno::INTR) => check_interrupts(),
            Err(error) => return Err(Fault::Broken(text(&error.into()))),
        }
    }
}
