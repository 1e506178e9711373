//! Alters the tables of a base or the catalog, each time in a database of its own, and then runs every
//! operation. Whatever an owner does, nothing crashes, no error is internal, no provider is called endlessly,
//! and the neighbor is not affected.

mod alterations;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::Mock;

use crate::attack::Attack;
use crate::judge::{described, judge, judge_damaged};
use crate::log::Sides;
use crate::random::Random;
use crate::report::Report;
use crate::session::{Ended, Session};
use alterations::Alteration;

const TEMPLATE: &str = include_str!("template.sql");
const OPERATIONS: &str = include_str!("operations.sql");

/// Alterations that are tested at the same time.
const STREAMS: usize = 2;

const STATEMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// How soon a document of the neighbor must have its vectors, whatever the owner of another base has done.
const NEIGHBOR_LIMIT: Duration = Duration::from_secs(5);

/// How often a text may be sent to the provider between two changes.
const MAX_TIMES_SENT: usize = 8;

/// How long an operation waits for busy workers.
const TIME_FOR_WORKERS: Duration = Duration::from_millis(500);

/// The SQLSTATEs in which kb_drop by a superuser may end, even if the base is missing, other roles' objects
/// depend on it, or its owner's code holds locks.
const ENDS_OF_DROP: &[&str] = &["00000", "42704", "2BP01", "57014", "55P03"];

/// The bases of the owner; an alteration affects one of them.
const BASES: &[&str] = &["inline", "queued", "remote"];

/// Tests alterations for the given time.
pub fn run(attack: &Attack, time: Duration) {
    let alterations = prepare(attack);
    let until = Instant::now() + time;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..STREAMS {
            scope.spawn(|| {
                let mock = Mock::openai();
                while Instant::now() < until {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(alteration) = alterations.get(number) else { return };
                    let (report, sessions) = (&attack.report, HashMap::new());
                    Altered { attack, report, mock: &mock, alteration, number, until, sessions }.try_it();
                }
            });
        }
    });
    let tried = next.load(Ordering::Relaxed).min(alterations.len());
    attack.report.note(format!("{tried} of {} alterations", alterations.len()));
}

/// Creates the template database; returns the alterations for its bases.
fn prepare(attack: &Attack) -> Vec<Alteration> {
    let mock = Mock::openai();
    attack.create_database("alter_template");
    let mut superuser = attack.address.must_connect("alter_template", "postgres");
    superuser.client.batch_execute(&TEMPLATE.replace("{url}", &mock.base_url())).expect("the template");
    kb_rag_cluster_tests::pipeline::wait_until_idle(&mut superuser.client);
    let alterations = alterations::all(&mut superuser.client, &mut Random::new(attack.seed, 0));
    // CREATE DATABASE requires a template without sessions: neither workers nor this one.
    drop(superuser);
    let mut maintenance = attack.address.must_connect("postgres", "postgres");
    maintenance
        .client
        .batch_execute("ALTER DATABASE alter_template ALLOW_CONNECTIONS false")
        .expect("a template");
    kb_rag_cluster_tests::wait_until("a template without sessions", || {
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'alter_template'";
        maintenance.client.query_one(sessions, &[]).expect("sessions").get::<_, i64>(0) == 0
    });
    alterations
}

/// One alteration under test.
struct Altered<'a> {
    attack: &'a Attack,
    report: &'a Report,
    mock: &'a Mock,
    alteration: &'a Alteration,
    number: usize,
    until: Instant,
    sessions: HashMap<&'static str, Session>,
}

impl Altered<'_> {
    fn database(&self) -> String {
        format!("alter_{}", self.number)
    }

    /// SQL with the altered base filled in.
    fn filled(&self, sql: &str) -> String {
        let base = BASES[self.number % BASES.len()];
        sql.replace("{S}", &format!("kb_{base}"))
            .replace("{B}", base)
            .replace("{A}", &format!("public.attached_{base}"))
            .replace("{word}", &self.database())
    }

    fn try_it(&mut self) {
        let mut maintenance = self.attack.address.must_connect("postgres", "postgres");
        let (database, role) = (self.database(), self.role(self.alteration.by_superuser));
        let create = format!("CREATE DATABASE {database} TEMPLATE alter_template");
        maintenance.client.batch_execute(&create).expect("a copy of the template");
        let provided = format!(
            "SELECT kb_provider_set('mock', base_url => '{}', timeout => '2 s')",
            self.mock.base_url()
        );
        let mut superuser = self.attack.address.must_connect(&database, "postgres");
        superuser.client.batch_execute(&provided).expect("a provider");
        drop(superuser);

        let alteration = self.filled(&self.alteration.sql);
        let ended = self.send(role, &alteration);
        self.report.count(if ended { "altered" } else { "refused" });
        if ended {
            self.neighbor();
            let mut random = Random::new(self.attack.seed, 1000 + self.number as u64);
            for operation in OPERATIONS.lines().skip(1) {
                let by_superuser = random.percent(50);
                if Instant::now() > self.until {
                    break;
                }
                if random.percent(10) {
                    // New sessions have empty caches.
                    self.sessions.clear();
                }
                self.send(self.role(by_superuser), &self.filled(operation));
                if operation.contains("{word}") {
                    self.let_workers();
                }
                self.provider(operation);
            }
            self.neighbor();
            self.end();
        }
        self.sessions.clear();
        let dropped = maintenance.run(&format!("DROP DATABASE {database} WITH (FORCE)"));
        if let Some(error) = dropped.error {
            self.report.fault("DROP DATABASE", &error.to_string(), &self.reproduction(role, "DROP DATABASE"));
        }
    }

    fn role(&self, by_superuser: bool) -> &'static str {
        if by_superuser { "postgres" } else { "attack_owner" }
    }

    fn reproduction(&self, role: &str, statement: &str) -> String {
        let by = self.role(self.alteration.by_superuser);
        let alteration = self.filled(&self.alteration.sql);
        format!("-- alteration {} by {by}\n{alteration};\n-- then {role}\n{statement};", self.number)
    }

    /// A session of the role in the alteration's database.
    fn session(&mut self, role: &'static str) -> Option<Session> {
        if let Some(session) = self.sessions.remove(role) {
            return Some(session);
        }
        match self.attack.address.connect(&self.database(), role) {
            Ok(mut session) => {
                let _ = session.run(&format!("SET statement_timeout = {}", STATEMENT_TIMEOUT.as_millis()));
                Some(session)
            }
            Err(e) => {
                self.report.fault(
                    "connection refused",
                    &e.to_string(),
                    &self.reproduction(role, "-- connects"),
                );
                None
            }
        }
    }

    /// Runs one statement; returns whether it succeeded.
    fn send(&mut self, role: &'static str, statement: &str) -> bool {
        self.result(role, statement).is_some_and(|ended| ended.is_ok())
    }

    fn result(&mut self, role: &'static str, statement: &str) -> Option<Ended> {
        let mut session = self.session(role)?;
        let watched = self.attack.watch(session.pid, || self.reproduction(role, statement));
        let ended = session.run(statement);
        drop(watched);
        // kb_rag reports damage to the catalog to the superuser who caused it; no other role sees such an
        // error.
        let judged = if self.alteration.by_superuser { judge_damaged } else { judge };
        judged(self.report, &ended, STATEMENT_TIMEOUT, &|| self.reproduction(role, statement));
        if ended.state == "40P01" {
            // Only workers run beside this session, and they must give way.
            let (own, reproduction) = (statement.to_string(), self.reproduction(role, statement));
            self.attack.note_deadlock(session.pid, Sides { own, others: Vec::new(), reproduction });
        }
        if !session.is_closed() {
            self.sessions.insert(role, session);
        }
        Some(ended)
    }

    /// Waits for the workers while there is work for them, but not for long.
    fn let_workers(&mut self) {
        let Some(mut session) = self.session("postgres") else { return };
        let began = Instant::now();
        let due =
            "SELECT count(*) FROM kb_rag.job WHERE NOT failed AND coalesce(lease_until, due_at) <= now()";
        while session.client.query_one(due, &[]).is_ok_and(|row| row.get::<_, i64>(0) > 0)
            && began.elapsed() < TIME_FOR_WORKERS
        {
            thread::park_timeout(Duration::from_millis(10));
        }
        self.sessions.insert("postgres", session);
    }

    /// The base is forgotten and adopted, or dropped. What remains of it can always be dropped.
    fn end(&mut self) {
        if self.number.is_multiple_of(2) {
            let role = self.role(self.number.is_multiple_of(4));
            self.send("postgres", &self.filled("DELETE FROM kb_rag.knowledge_base WHERE name = '{B}'"));
            self.send(role, &self.filled("SELECT kb_adopt('{S}')"));
        }
        let drop = self.filled("SELECT kb_drop('{B}')");
        let Some(ended) = self.result("postgres", &drop) else { return };
        if !self.alteration.of_everything && !ENDS_OF_DROP.contains(&ended.state.as_str()) {
            let message = ended.error.as_ref().and_then(|error| error.as_db_error()).map(described);
            self.report.fault(
                "kb_drop fails",
                &message.unwrap_or_default(),
                &self.reproduction("postgres", &drop),
            );
        }
    }

    /// Checks that no text of a document was sent too often since the last check.
    fn provider(&self, operation: &str) {
        let mut sent: HashMap<String, usize> = HashMap::new();
        for text in self.mock.calls().into_iter().flat_map(|call| call.texts) {
            *sent.entry(text).or_default() += 1;
        }
        // Queries do not contain the word of the database.
        for (text, times) in sent.iter().filter(|(text, _)| text.contains(&self.database())) {
            if *times > MAX_TIMES_SENT {
                let message = format!("a text was sent {times} times: {text:?}");
                self.report.fault(
                    "provider called too often",
                    &message,
                    &self.reproduction("somebody", operation),
                );
            }
        }
        self.mock.forget_calls();
    }

    /// Checks that another role's base works as if nothing had happened.
    fn neighbor(&mut self) {
        if self.alteration.of_everything {
            return;
        }
        let role = "attack_neighbor";
        for statement in [
            "SELECT count(r::text) FROM kb_search('neighbor text', 'neighbor') r",
            "SELECT count(r::text) FROM kb_search('neighbor text') r",
            "SELECT count(r::text) FROM kb_rag.status r",
            "SELECT count(r::text) FROM kb_rag.failed r",
            "SELECT count(r::text) FROM kb_rag.source_status r",
            "SELECT kb_add('neighbor', 'another neighbor text', source_key => 'again')",
            "UPDATE kb_neighbor.document SET content = content || ' more'",
            "SELECT kb_reconcile('neighbor')",
        ] {
            if let Some(Ended { error: Some(error), .. }) = self.result(role, statement) {
                let message = error.as_db_error().map_or_else(|| error.to_string(), described);
                self.report.fault("the neighbor is affected", &message, &self.reproduction(role, statement));
            }
        }
        let Some(mut session) = self.session(role) else { return };
        let began = Instant::now();
        let pending = "SELECT count(*) FROM kb_neighbor.document WHERE status <> 'indexed'";
        while session.client.query_one(pending, &[]).is_ok_and(|row| row.get::<_, i64>(0) > 0) {
            if began.elapsed() > NEIGHBOR_LIMIT {
                let message =
                    format!("documents of the neighbor wait for their vectors for {NEIGHBOR_LIMIT:?}");
                self.report.fault("the neighbor waits", &message, &self.reproduction(role, pending));
                break;
            }
            thread::park_timeout(Duration::from_millis(10));
        }
        self.sessions.insert(role, session);
    }
}
