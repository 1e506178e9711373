//! Cancels, terminations, immediate stops, and ends for prepared transactions.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::attack::Attack;
use crate::random::Random;
use crate::session::Session;

/// What was done on purpose, so that a lost session is not reported for it.
#[derive(Default)]
pub struct Chaos {
    terminated: Mutex<HashSet<i32>>,
    /// Incremented when the server goes down and when it is up again.
    stops: AtomicUsize,
    /// Set while the server is down.
    is_down: AtomicBool,
}

impl Chaos {
    /// The state of the server, to compare with a later one.
    pub fn stops(&self) -> usize {
        self.stops.load(Ordering::SeqCst)
    }

    /// Whether the test ended the session of this process, which began when there had been `stops` stops.
    pub fn has_ended(&self, pid: i32, stops: usize) -> bool {
        self.is_down.load(Ordering::SeqCst) || self.stops() != stops || self.terminated().contains(&pid)
    }

    fn terminated(&self) -> std::sync::MutexGuard<'_, HashSet<i32>> {
        self.terminated.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Stops the server as in a crash, and starts it again.
    pub fn stop_server(&self, attack: &Attack) {
        self.is_down.store(true, Ordering::SeqCst);
        attack.server.crash();
        self.stops.fetch_add(1, Ordering::SeqCst);
        self.is_down.store(false, Ordering::SeqCst);
        attack.report.count("immediate stops");
    }

    /// Cancels and terminates sessions and workers of the database until told to stop.
    pub fn strike(&self, attack: &Attack, mut random: Random, done: &AtomicBool) {
        let mut session: Option<Session> = None;
        while !done.load(Ordering::SeqCst) {
            thread::park_timeout(Duration::from_millis(random.within(50, 1200) as u64));
            if self.is_down.load(Ordering::SeqCst) {
                session = None;
                continue;
            }
            session = session.or_else(|| attack.address.connect("postgres", "postgres").ok());
            let struck = session.as_mut().and_then(|session| self.strike_one(attack, session, &mut random));
            if struck.is_none() {
                session = None;
            }
        }
    }

    fn strike_one(&self, attack: &Attack, session: &mut Session, random: &mut Random) -> Option<()> {
        let sql = "SELECT pid, backend_type FROM pg_stat_activity WHERE datname = 'stress' ORDER BY random() LIMIT 1";
        let Some(row) = session.client.query(sql, &[]).ok()?.into_iter().next() else { return Some(()) };
        let (pid, backend): (i32, String) = (row.get(0), row.get(1));
        let function = if random.percent(65) { "pg_cancel_backend" } else { "pg_terminate_backend" };
        if function == "pg_terminate_backend" {
            self.terminated().insert(pid);
        }
        session.client.query(&format!("SELECT {function}({pid})"), &[]).ok()?;
        attack.report.count(&format!("{function} of {backend}"));
        Some(())
    }

    /// Commits or rolls back prepared transactions until told to stop.
    pub fn finish_prepared(&self, attack: &Attack, mut random: Random, done: &AtomicBool) {
        while !done.load(Ordering::SeqCst) {
            thread::park_timeout(Duration::from_millis(400));
            if let Ok(mut session) = attack.address.connect("stress", "postgres") {
                finish_all(&mut session, &mut random);
            }
        }
    }
}

/// Ends the transactions that are prepared at present.
pub fn finish_all(session: &mut Session, random: &mut Random) {
    let sql = "SELECT gid FROM pg_prepared_xacts WHERE database = 'stress'";
    for row in session.client.query(sql, &[]).unwrap_or_default() {
        let end = if random.percent(60) { "COMMIT" } else { "ROLLBACK" };
        let _ = session.run(&format!("{end} PREPARED '{}'", row.get::<_, String>(0)));
    }
}
