//! Generated calls of every function of the extension with hostile values, by roles of all kinds.

mod call;
mod frame;

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::Mock;

use crate::attack::Attack;
use crate::catalog::{self, Function, Table};
use crate::judge::judge;
use crate::random::Random;
use crate::report::Report;
use crate::session::Session;
use crate::values::Values;
use frame::Call;

const SETUP: &str = include_str!("setup.sql");
const BASES: &str = include_str!("bases.sql");
const SETTINGS: &str = include_str!("settings.sql");

/// The roles of the sessions, and how often each takes its turn.
const ROLES: &[(&str, usize)] = &[
    ("postgres", 40),
    ("attack_owner", 30),
    ("attack_writer", 10),
    ("attack_reader", 10),
    ("attack_nobody", 10),
];

/// Databases that are fuzzed at the same time.
const STREAMS: u64 = 2;

const STATEMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// A base is created again after this many calls; otherwise damage would keep calls from reaching the code
/// behind the first check.
const CALLS_PER_BASE: usize = 150;

/// After this many calls, bases that calls have dropped are created again.
const CALLS_PER_LOOK: usize = 50;

/// Functions that take seconds, or that remove the objects of other calls, take their turn less often. So do
/// functions without arguments.
const RARE: &[&str] = &["public.kb_work", "public.kb_drop", "public.kb_rename", "public.kb_revoke_admin"];

/// Calls functions for the given time.
pub fn run(attack: &Attack, time: Duration) {
    let mock = Mock::openai();
    let streams: Vec<_> = thread::scope(|scope| {
        let start = |stream| {
            let mock = &mock;
            scope.spawn(move || Fuzzer::prepare(attack, stream, mock).run(time))
        };
        let threads: Vec<_> = (0..STREAMS).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a stream")).collect()
    });
    let succeeded: BTreeSet<&String> = streams.iter().flat_map(|stream| &stream.succeeded).collect();
    let never = streams[0].functions.iter().map(|f| &f.name).filter(|name| !succeeded.contains(name));
    let never: Vec<&str> = never.map(String::as_str).collect();
    attack.report.note(format!(
        "{} functions, without a success: {}",
        streams[0].functions.len(),
        never.join(", ")
    ));
}

/// One database and its sessions.
struct Fuzzer<'a> {
    attack: &'a Attack,
    report: &'a Report,
    random: Random,
    database: String,
    sessions: Vec<Option<Session>>,
    functions: Vec<Function>,
    views: Vec<String>,
    tables: Vec<Table>,
    settings: Vec<String>,
    bases: Vec<&'static str>,
    succeeded: BTreeSet<String>,
}

impl<'a> Fuzzer<'a> {
    fn prepare(attack: &'a Attack, stream: u64, mock: &Mock) -> Fuzzer<'a> {
        let database = format!("fuzz_{stream}");
        attack.create_database(&database);
        let mut superuser = attack.address.must_connect(&database, "postgres");
        let setup = SETUP.replace("{database}", &database).replace("{url}", &mock.base_url());
        superuser.client.batch_execute(&setup).expect("the objects to attack");
        let mut owner = attack.address.must_connect(&database, "attack_owner");
        let bases: Vec<&str> = paragraphs().map(|(name, _)| name).collect();
        for (name, sql) in paragraphs() {
            owner.client.batch_execute(sql).unwrap_or_else(|e| panic!("base {name}: {e}"));
        }
        let copies =
            "CREATE SCHEMA kb_copied; CREATE TABLE kb_copied.source (LIKE kb_inline.source INCLUDING ALL);
            CREATE TABLE kb_copied.document (LIKE kb_inline.document INCLUDING ALL);
            CREATE TABLE kb_copied.chunk (LIKE kb_inline.chunk INCLUDING ALL);
            CREATE TABLE kb_copied.embedding (LIKE kb_inline.embedding INCLUDING ALL);
            CREATE TABLE kb_copied.setting (LIKE kb_inline.setting INCLUDING ALL);
            INSERT INTO kb_copied.setting TABLE kb_inline.setting";
        superuser.client.batch_execute(copies).expect("a schema like that of a base");
        let mut random = Random::new(attack.seed, stream);
        let settings = all_settings(&catalog::settings(&mut superuser.client), &mut random);
        Fuzzer {
            attack,
            report: &attack.report,
            random,
            sessions: ROLES.iter().map(|_| None).collect(),
            functions: catalog::functions(&mut superuser.client),
            views: catalog::views(&mut superuser.client),
            tables: catalog::tables(&mut superuser.client, "kb_inline"),
            settings,
            bases,
            succeeded: BTreeSet::new(),
            database,
        }
    }

    fn run(mut self, time: Duration) -> Self {
        let until = Instant::now() + time;
        assert!(self.functions.len() > 40, "the catalog lists {} functions only", self.functions.len());
        let mut calls = 0;
        while Instant::now() < until {
            if calls % CALLS_PER_LOOK == CALLS_PER_LOOK - 1 {
                self.renew_bases(calls % CALLS_PER_BASE == CALLS_PER_BASE - 1);
            }
            self.one_call(calls);
            calls += 1;
        }
        self
    }

    fn one_call(&mut self, number: usize) {
        let place = self.random.weighted(ROLES.iter().map(|(_, weight)| *weight));
        let mut statements = Vec::new();
        // Damage by the owner of the bases, rolled back with its transaction: the call encounters it.
        let damaged = self.random.percent(15);
        if damaged {
            statements.push("BEGIN".to_string());
            for _ in 0..self.random.within(1, 3) {
                statements.push(self.write());
            }
        }
        let call = self.call();
        if damaged {
            // If one write fails, the others still run.
            for write in &mut statements[1..] {
                *write = format!(
                    "DO $write$ BEGIN {write}; EXCEPTION WHEN OTHERS THEN IF sqlstate LIKE 'XX%' THEN RAISE; END IF; END $write$"
                );
            }
            statements.extend([call.statement, "ROLLBACK".to_string()]);
        } else {
            statements.extend(frame::framed(&mut self.random, &call, &self.settings));
        }
        self.send(place, number, &statements);
    }

    /// A call of a function, a view, or a statement on a table of a base.
    fn call(&mut self) -> Call {
        match self.random.below(100) {
            0..4 => {
                let view = self.random.pick(&self.views);
                Call {
                    statement: format!("SELECT count(v::text) FROM {view} v"),
                    prepared: None,
                    is_query: true,
                }
            }
            4..14 => Call { statement: self.write(), prepared: None, is_query: false },
            _ => {
                let is_rare = |f: &Function| f.arguments.is_empty() || RARE.contains(&f.name.as_str());
                let weights = self.functions.iter().map(|f| if is_rare(f) { 1 } else { 10 });
                let function = &self.functions[self.random.weighted(weights)];
                call::call_of(function, &mut Values { random: &mut self.random, bases: &self.bases })
            }
        }
    }

    fn write(&mut self) -> String {
        let schema = format!("kb_{}", self.random.pick(&self.bases));
        let table = &self.tables[self.random.below(self.tables.len())];
        call::write_of(&schema, table, &mut Values { random: &mut self.random, bases: &self.bases })
    }

    /// Sends statements until one fails, and judges each.
    fn send(&mut self, place: usize, number: usize, statements: &[String]) {
        let Some(mut session) = self.session(place) else { return };
        let role = session.role.clone();
        let reproduction = |sent: usize| {
            let lines: Vec<String> = statements[..=sent].iter().map(|line| format!("{line};")).collect();
            format!("-- {} in {}, call {number}\n{}", role, self.database, lines.join("\n"))
        };
        for (sent, statement) in statements.iter().enumerate() {
            let watched = self.attack.watch(session.pid, || reproduction(sent));
            let ended = session.run(statement);
            drop(watched);
            // PostgreSQL ends the timeout before a commit, which runs held cursors and deferred triggers.
            let timeout = if statement == "COMMIT" { STATEMENT_TIMEOUT * 5 } else { STATEMENT_TIMEOUT };
            judge(self.report, &ended, timeout, &|| reproduction(sent));
            if !ended.is_ok() {
                break;
            }
            if !statement.starts_with("SELECT") && !statement.starts_with("CALL") {
                // The call may have trapped the error, or may not have run yet.
                continue;
            }
            let called =
                self.functions.iter().filter(|function| statement.contains(&format!("{}(", function.name)));
            self.succeeded.extend(called.map(|function| function.name.clone()));
        }
        if session.is_closed() {
            return;
        }
        let open = session.run("ROLLBACK");
        let _ = session.run("RESET search_path");
        if open.is_ok() {
            self.sessions[place] = Some(session);
        }
    }

    fn session(&mut self, place: usize) -> Option<Session> {
        if let Some(session) = self.sessions[place].take() {
            return Some(session);
        }
        let role = ROLES[place].0;
        match self.attack.address.connect(&self.database, role) {
            Ok(mut session) => {
                let timeout = STATEMENT_TIMEOUT.as_millis();
                let _ = session.run(&format!("SET statement_timeout = {timeout}; SET lock_timeout = 1000"));
                Some(session)
            }
            Err(e) => {
                self.report.fault(
                    "connection refused",
                    &e.to_string(),
                    &format!("-- {role} in {}", self.database),
                );
                thread::park_timeout(Duration::from_secs(1));
                None
            }
        }
    }

    /// Creates missing bases again, and drops those that calls have created. With `one_more`, also renews an
    /// existing base.
    fn renew_bases(&mut self, one_more: bool) {
        let Ok(mut superuser) = self.attack.address.connect(&self.database, "postgres") else { return };
        let chosen = one_more.then(|| *self.random.pick(&self.bases));
        let kept: Vec<String> =
            self.bases.iter().filter(|name| Some(**name) != chosen).map(|name| format!("'{name}'")).collect();
        // Functions may have revoked these privileges from the owner.
        let mut preparation = vec![
            "SELECT kb_grant_admin('attack_owner'), kb_provider_grant('mock', 'attack_owner')".to_string(),
            format!("SELECT kb_drop(name) FROM kb_list() WHERE name NOT IN ({})", kept.join(", ")),
        ];
        preparation.extend(chosen.map(|name| format!("DROP SCHEMA IF EXISTS kb_{name} CASCADE")));
        for statement in preparation {
            let ended = superuser.run(&statement);
            judge(self.report, &ended, STATEMENT_TIMEOUT * 5, &|| format!("-- superuser\n{statement};"));
        }
        let Ok(rows) = superuser.client.query("SELECT name FROM kb_list()", &[]) else { return };
        let present: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let Ok(mut owner) = self.attack.address.connect(&self.database, "attack_owner") else { return };
        for (name, sql) in paragraphs().filter(|(name, _)| !present.iter().any(|other| other == name)) {
            let _ = superuser.run(&format!("DROP SCHEMA IF EXISTS kb_{name} CASCADE"));
            let ended = owner.run(sql);
            judge(self.report, &ended, STATEMENT_TIMEOUT * 5, &|| sql.to_string());
        }
    }
}

/// The names of the bases, and the SQL that creates each.
fn paragraphs() -> impl Iterator<Item = (&'static str, &'static str)> {
    BASES.split("\n\n-- ").skip(1).filter_map(|paragraph| {
        let (title, sql) = paragraph.split_once('\n')?;
        Some((title.split(':').next()?, sql))
    })
}

/// Settings of PostgreSQL that change how statements run, and settings of the extension with hostile values.
fn all_settings(own: &[catalog::Setting], random: &mut Random) -> Vec<String> {
    let hostile = |kind: &str| match kind {
        "string" => &["''", "'/nonexistent'", "'a:b, c:1,,'", "E'\\n'", "DEFAULT"][..],
        "bool" => &["on", "off"][..],
        _ => &["0", "-1", "1", "5", "2147483647", "'infinity'", "DEFAULT"][..],
    };
    let mut settings: Vec<String> = SETTINGS.lines().map(str::to_string).collect();
    for setting in own {
        settings.extend(hostile(&setting.kind).iter().map(|value| format!("{} = {value}", setting.name)));
    }
    random.shuffle(&mut settings);
    settings
}
