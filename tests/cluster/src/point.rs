//! Places in the library's code where a test holds processes: `test_point` in `src/postgres/test_point.rs`.

use std::sync::atomic::{AtomicI64, Ordering};

use postgres::Client;

use crate::{Database, Outcome, Session, wait_until};

/// A place at which processes wait, until it is opened or dropped.
pub struct Point {
    name: &'static str,
    key: i64,
    holder: Client,
    /// Takes the lock over in [`Point::step`].
    next: Option<Client>,
}

impl Point {
    /// Holds new sessions and workers of the database at the place `name`. A session that exists needs
    /// [`Point::setting`].
    pub fn hold(database: &Database, name: &'static str) -> Point {
        let point = Point::hold_by(database.connect(), name).stepping_by(database.connect());
        database.add_point(&format!("{name}={}", point.key));
        point
    }

    /// Holds sessions with [`Point::setting`] at the place `name`, as long as the session `holder` lasts.
    pub fn hold_by(mut holder: Client, name: &'static str) -> Point {
        static KEYS: AtomicI64 = AtomicI64::new(7_000_000);
        let key = KEYS.fetch_add(1, Ordering::Relaxed);
        holder.run(&format!("SELECT pg_advisory_lock({key})"));
        Point { name, key, holder, next: None }
    }

    /// With a second session, which [`Point::step`] needs.
    pub fn stepping_by(self, next: Client) -> Point {
        Point { next: Some(next), ..self }
    }

    /// Lets all go on, now and later. At the end those that waited have gone on.
    pub fn release(mut self) {
        self.holder.run(&format!("SELECT pg_advisory_unlock({})", self.key));
        wait_until("processes that go on", || self.waiting().is_empty());
    }

    /// The statement that holds an existing session at this place, and at no other.
    pub fn setting(&self) -> String {
        format!("SET kb_rag.test_points = '{}={}'", self.name, self.key)
    }

    /// The processes that wait here.
    pub fn waiting(&mut self) -> Vec<i32> {
        self.holder.column(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objsubid = 1
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                 AND (classid::int8 << 32 | objid::int8) = $1::int8",
            &[&self.key],
        )
    }

    /// Waits until `count` processes wait here.
    pub fn wait_for(&mut self, count: usize) {
        let what = format!("{count} processes that wait at {}", self.name);
        wait_until(&what, || self.waiting().len() >= count);
    }

    /// Lets those that wait go on, and holds no more.
    pub fn open(self) {
        // The session ends, and with it its lock.
    }

    /// Lets those that wait now go on, and holds all that come later: a second session waits for the lock before the first
    /// gives it up, so whoever comes again queues behind it.
    pub fn step(&mut self) {
        let mut next = self.next.take().expect("a point of Point::hold");
        let pid = next.pid();
        let locking = Outcome::spawn(next, &format!("SELECT pg_advisory_lock({})", self.key));
        wait_until("a second session that waits for the lock", || self.waiting().contains(&pid));
        self.holder.run(&format!("SELECT pg_advisory_unlock({})", self.key));
        let next = locking.join().unwrap().client;
        self.next = Some(std::mem::replace(&mut self.holder, next));
    }
}
