//! Runs many sessions of mixed operations, with cancels, terminations, immediate stops and prepared
//! transactions. Afterwards every base must contain what its documents imply.

mod chaos;
mod check;
mod operations;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::{Mock, Reply};

use crate::attack::Attack;
use crate::judge::{described, judge};
use crate::log::Sides;
use crate::random::Random;
use crate::session::{Ended, Session};
use chaos::Chaos;
use operations::{Operation, Operations};

const SETUP: &str = include_str!("setup.sql");

const SESSIONS: u64 = 8;

const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between two stops of the server.
const UNTIL_STOP: Duration = Duration::from_secs(40);

/// Time between the end of a deadlock and the error that reports it.
const MOMENT: Duration = Duration::from_millis(20);

/// The errors that sessions may receive because of each other and of the interference.
const EXPECTED: &[&str] = &[
    "00000", "40001", // the transactions of REPEATABLE READ
    "40P01", // judged from the log, by both sides
    "55P03", // ends statements that wait for readers which write later
    "57014", "57P01", // canceled and terminated on purpose
    "25P02", // a transaction after one of these
    "42704", // detaching a table that is not attached
];

/// Stresses for the given time; the last part of it is for the checks.
pub fn run(attack: &Attack, time: Duration) {
    let mock = Mock::openai();
    // Sometimes overloaded or failing, like real services.
    mock.when(|call| call.number % 50 == 7, Reply::error(500, "internal error"));
    mock.when(|call| call.number % 50 == 23, Reply::error(429, "slow down"));
    mock.when(|call| call.number % 50 == 37, Reply::reset());
    mock.always(Reply::right().after(Duration::from_millis(3)));
    attack.create_database("stress");
    let mut superuser = attack.address.must_connect("stress", "postgres");
    superuser.client.batch_execute(&SETUP.replace("{url}", &mock.base_url())).expect("the bases to stress");
    drop(superuser);

    let stress = time - (time / 4).min(Duration::from_secs(40));
    let until = Instant::now() + stress;
    let stops = stress.as_secs().div_ceil(UNTIL_STOP.as_secs());
    let (chaos, done, operations) = (Chaos::default(), AtomicBool::new(false), Operations::read());
    thread::scope(|scope| {
        for number in 0..SESSIONS {
            let (chaos, done, operations) = (&chaos, &done, &operations);
            scope.spawn(move || Worker { attack, chaos, operations, number }.run(done));
        }
        scope.spawn(|| chaos.strike(attack, Random::new(attack.seed, 100), &done));
        scope.spawn(|| chaos.finish_prepared(attack, Random::new(attack.seed, 101), &done));
        for stop in 1..=stops {
            // The last period ends without a stop.
            wait(Instant::now() + (until - Instant::now()) / u32::try_from(stops - stop + 2).unwrap_or(2));
            chaos.stop_server(attack);
        }
        wait(until);
        mock.heal();
        done.store(true, Ordering::SeqCst);
    });
    attack.restarts.store(chaos.stops(), Ordering::SeqCst);
    let mut superuser = attack.address.must_connect("stress", "postgres");
    chaos::finish_all(&mut superuser, &mut Random::new(attack.seed, 102));
    check::check(&attack.report, &mut superuser.client, &mock);
}

fn wait(until: Instant) {
    while Instant::now() < until {
        thread::park_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// One session and its successors.
struct Worker<'a> {
    attack: &'a Attack,
    chaos: &'a Chaos,
    operations: &'a Operations,
    number: u64,
}

impl Worker<'_> {
    fn run(&self, done: &AtomicBool) {
        let mut random = Random::new(self.attack.seed, self.number);
        let mut session: Option<(Session, usize)> = None;
        while !done.load(Ordering::SeqCst) {
            let operation = self.operations.choose(&mut random);
            session = session.or_else(|| self.connect());
            if let Some((mut client, stops)) = session.take()
                && self.perform(&mut client, stops, &operation)
            {
                session = Some((client, stops));
            }
        }
    }

    /// A session; None while the server is down.
    fn connect(&self) -> Option<(Session, usize)> {
        let stops = self.chaos.stops();
        let connected =
            self.attack.address.connect("stress", role_of(self.number)).ok().and_then(|mut session| {
                let ended =
                    session.run(&format!("SET statement_timeout = {}", STATEMENT_TIMEOUT.as_millis()));
                ended.is_ok().then_some((session, stops))
            });
        if connected.is_none() {
            thread::park_timeout(Duration::from_millis(100));
        }
        connected
    }

    /// Runs the statements until one fails; returns whether the session can continue.
    fn perform(&self, session: &mut Session, stops: usize, operation: &Operation) -> bool {
        let report = &self.attack.report;
        let mut succeeded = true;
        for (place, statement) in operation.statements.iter().enumerate() {
            let reproduction = || {
                let before = operation.statements[..=place].join(";\n");
                format!(
                    "-- session {} of {} in {}\n{before};",
                    self.number,
                    role_of(self.number),
                    operation.name
                )
            };
            let watched = self.attack.watch(session.pid, || statement.clone());
            let ended = session.run(statement);
            drop(watched);
            if !ended.is_ok() && self.is_ours(session, stops, &ended) {
                report.count("ended by us");
                return false;
            }
            judge(report, &ended, STATEMENT_TIMEOUT, &reproduction);
            if session.is_closed() {
                return false;
            }
            self.note_deadlock(session, &ended, statement);
            if !EXPECTED.contains(&ended.state.as_str()) {
                let error = ended.error.as_ref().and_then(|error| error.as_db_error());
                let message = error.map_or_else(|| ended.state.clone(), described);
                report.fault("unexpected error", &message, &reproduction());
            }
            if !ended.is_ok() {
                succeeded = false;
                report.count(&format!("{} of {}", ended.state, operation.name));
                break;
            }
        }
        if succeeded {
            report.count("operations");
            return true;
        }
        let rolled_back = session.run("ROLLBACK");
        rolled_back.is_ok() || !session.is_closed()
    }

    /// Notes both sides of a deadlock, which are judged together with the log.
    fn note_deadlock(&self, session: &Session, ended: &Ended, own: &str) {
        let error = ended.error.as_ref().and_then(|error| error.as_db_error());
        let Some(error) = error.filter(|error| error.code().code() == "40P01") else { return };
        let named = error.detail().unwrap_or_default().split("rocess ").skip(1);
        let numbers = named.filter_map(|text| text.split(|c: char| !c.is_ascii_digit()).next());
        let mut processes: Vec<i32> = numbers.filter_map(|number| number.parse().ok()).collect();
        processes.sort_unstable();
        processes.dedup();
        // A statement that another session began since then came after the deadlock.
        let time = Instant::now().checked_sub(MOMENT).unwrap_or_else(Instant::now);
        let others = processes.into_iter().filter(|process| *process != session.pid);
        let others = self.attack.statements_at(others, time);
        let sides = Sides { own: own.to_string(), others, reproduction: String::new() };
        self.attack
            .deadlocks
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push(session.pid, sides);
    }

    /// Whether the test ended the session on purpose.
    fn is_ours(&self, session: &Session, stops: usize, ended: &Ended) -> bool {
        let is_lost =
            session.is_closed() || matches!(ended.state.as_str(), "57P01" | "57P02" | "57P03" | "08006");
        is_lost && self.chaos.has_ended(session.pid, stops)
    }
}

/// A superuser for every fourth session, and the owner of all bases for the others.
fn role_of(number: u64) -> &'static str {
    if number.is_multiple_of(4) { "postgres" } else { "attack_owner" }
}
