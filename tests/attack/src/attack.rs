//! The server under attack, and what all generators need from it.

use std::collections::{HashMap, VecDeque};
use std::process;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::Server;

use crate::log::{Deadlocks, Sides};
use crate::pulse::Pulse;
use crate::report::Report;
use crate::session::Address;

/// A statement that runs longer than this cannot be canceled: the run ends with the faults found so far.
const HUNG: Duration = Duration::from_secs(60);

/// Every line of the log has the process, its kind and the SQLSTATE.
pub const LOG_LINE_PREFIX: &str = "%m [%p] %b %e ";

/// A server for one generator.
pub struct Attack {
    /// The address of the server.
    pub address: Address,
    /// The server.
    pub server: Server,
    /// The faults found.
    pub report: Report,
    /// Determines all choices.
    pub seed: u64,
    /// How often the generator has restarted the server.
    pub restarts: AtomicUsize,
    /// The deadlocks that ended statements of the sessions.
    pub deadlocks: Mutex<Deadlocks>,
    watched: Mutex<HashMap<i32, Statements>>,
}

/// The statement that a session is running, if any, and its last ones.
#[derive(Default)]
struct Statements {
    is_under_way: bool,
    last: VecDeque<(Instant, String)>,
}

impl Attack {
    /// Starts the server.
    pub fn start(generator: &str, seed: u64) -> Arc<Attack> {
        let server = Server::start_with(&["-c", "max_prepared_transactions=50", "-c", "max_connections=100"]);
        let address = Address { socket: server.socket().to_string(), pulse: Pulse::start() };
        let report = Report::new(format!("{generator} with seed {seed}"));
        let attack = Arc::new(Attack {
            address,
            server,
            report,
            seed,
            restarts: AtomicUsize::new(0),
            deadlocks: Mutex::default(),
            watched: Mutex::default(),
        });
        let mut client = attack.address.must_connect("postgres", "postgres");
        for setting in [
            // Settings on the command line would be lost in a restart.
            "max_prepared_transactions = 50".to_string(),
            "max_connections = 100".to_string(),
            format!("log_line_prefix = '{LOG_LINE_PREFIX}'"),
            "log_min_error_statement = panic".to_string(),
            // The default. Workers give way to sessions that wait so long.
            "deadlock_timeout = '1s'".to_string(),
            // The log shows what each side of a deadlock waits for: kb_rag raises the error again without its context.
            "log_lock_waits = on".to_string(),
        ] {
            client.client.batch_execute(&format!("ALTER SYSTEM SET {setting}")).expect("a setting");
        }
        let roles = "SELECT pg_reload_conf(); CREATE ROLE attack_owner LOGIN; CREATE ROLE attack_writer LOGIN;
            CREATE ROLE attack_reader LOGIN; CREATE ROLE attack_nobody LOGIN; CREATE ROLE attack_neighbor LOGIN;
            CREATE ROLE \"attack \"\"odd\"\" role\"";
        client.client.batch_execute(roles).expect("roles");
        let watcher = Arc::downgrade(&attack);
        thread::spawn(move || {
            while let Some(attack) = watcher.upgrade() {
                attack.end_if_hung();
                drop(attack);
                thread::park_timeout(Duration::from_secs(1));
            }
        });
        attack
    }

    /// Creates a database with the extension.
    pub fn create_database(&self, name: &str) {
        let mut client = self.address.must_connect("postgres", "postgres");
        client.client.batch_execute(&format!("CREATE DATABASE {name}")).expect("a database");
        let mut client = self.address.must_connect(name, "postgres");
        client.client.batch_execute("CREATE EXTENSION kb_rag CASCADE").expect("the extension");
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<i32, Statements>> {
        self.watched.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Watches a statement until the returned value is dropped.
    pub fn watch(&self, pid: i32, statement: impl FnOnce() -> String) -> Watched<'_> {
        let mut watched = self.watched();
        let statements = watched.entry(pid).or_default();
        statements.is_under_way = true;
        statements.last.push_front((Instant::now(), statement()));
        statements.last.truncate(2);
        Watched { attack: self, pid }
    }

    /// The statements that these processes were running at a given time; none for workers.
    pub fn statements_at(&self, processes: impl Iterator<Item = i32>, time: Instant) -> Vec<String> {
        let watched = self.watched();
        processes
            .filter_map(|pid| watched.get(&pid)?.last.iter().find(|(since, _)| *since <= time))
            .map(|(_, statement)| statement.clone())
            .collect()
    }

    /// Notes the sides of a deadlock that ended a statement of this process.
    pub fn note_deadlock(&self, process: i32, sides: Sides) {
        self.deadlocks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(process, sides);
    }

    /// A server that no longer responds to cancellation leaves threads that wait forever.
    fn end_if_hung(&self) {
        let hung = self.watched().iter().find_map(|(pid, statements)| {
            let (since, statement) = statements.last.front().filter(|_| statements.is_under_way)?;
            (since.elapsed() > HUNG).then(|| (*pid, statement.clone()))
        });
        if let Some((pid, statement)) = hung {
            self.report.fault("hangs", &format!("process {pid} does not respond"), &statement);
            println!("{}", self.report.text());
            // Nothing is cleaned up, so that the server can be examined.
            eprintln!("the server is left running at {}", self.address.socket);
            process::exit(1);
        }
    }
}

/// A running statement.
pub struct Watched<'a> {
    attack: &'a Attack,
    pid: i32,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(statements) = self.attack.watched().get_mut(&self.pid) {
            statements.is_under_way = false;
        }
    }
}
