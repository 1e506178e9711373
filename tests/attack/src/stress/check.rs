//! What must hold after the stress, before anything is repaired.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::Mock;
use kb_rag_cluster_tests::pipeline::is_idle;
use kb_rag_cluster_tests::{Session as _, assert_consistent, assert_figures, assert_nothing_to_reconcile};
use postgres::Client;

use crate::report::Report;

/// The time limit for the remaining work. The longest back-off after a failure is a minute, and kb_retry ends
/// it.
const SETTLING: Duration = Duration::from_secs(90);

/// How often a text may be sent for one document without a change.
const MAX_TIMES_SENT: i64 = 8;

/// Bases whose contents follow from their documents, and all bases.
const EXACT: &[&str] = &["inline", "queued", "local", "remote"];
const ALL: &[&str] = &["inline", "queued", "local", "remote", "taken"];

/// Waits for the end of all work, and notes every violation.
pub fn check(report: &Report, client: &mut Client, mock: &Mock) {
    mock.forget_calls();
    for base in ALL {
        client.run(&format!("SELECT kb_retry('{base}')"));
    }
    settle(report, client);
    times_sent(report, client, mock);
    for base in ALL {
        held(report, base, || assert_figures(client, &format!("kb_{base}")));
    }
    attached(report, client);
    for base in EXACT {
        held(report, base, || assert_consistent(client, base, &format!("kb_{base}")));
    }
    for base in ALL {
        held(report, base, || assert_nothing_to_reconcile(client, base));
    }
}

/// Runs an assertion of the cluster tests; its failure is a fault.
fn held(report: &Report, base: &str, assertion: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(assertion)) {
        report.fault("inconsistent", &message_of(&*panic), &format!("-- base {base} after the stress"));
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

fn settle(report: &Report, client: &mut Client) {
    let began = Instant::now();
    while !is_idle(client) && began.elapsed() < SETTLING {
        thread::park_timeout(Duration::from_millis(50));
    }
    let left: Vec<String> = client.column(
        "SELECT 'job ' || j::text FROM kb_rag.job j UNION ALL SELECT 'pause ' || p::text FROM kb_rag.pause p
         UNION ALL SELECT 'failed ' || f::text FROM kb_rag.failed f
         UNION ALL SELECT 'source ' || s::text FROM kb_rag.source_status s WHERE status <> 'indexed'
         UNION ALL SELECT 'prepared ' || p::text FROM pg_prepared_xacts p",
        &[],
    );
    report.note(format!("settled in {:.1} s", began.elapsed().as_secs_f64()));
    if !left.is_empty() {
        report.fault(
            "work is left",
            &format!("{} rows after {:.0?}", left.len(), began.elapsed()),
            &left.join("\n"),
        );
    }
}

/// After the stress nothing has changed, so for each document that contains a text it was sent a limited number of times. Chunks do
/// not tell: those that a pending model cuts differently are replaced meanwhile.
fn times_sent(report: &Report, client: &mut Client, mock: &Mock) {
    let mut sent: HashMap<(String, String), i64> = HashMap::new();
    for call in mock.calls() {
        for text in call.texts {
            *sent.entry((call.model.clone(), text)).or_default() += 1;
        }
    }
    for ((model, text), times) in sent {
        let documents: i64 = client.value(
            "SELECT count(*) FROM kb_remote.document
             WHERE strpos($1, concat(title, E'\\n')) = 1 AND strpos(content, substr($1, length(title) + 2)) > 0
                OR title IS NULL AND strpos(content, $1) > 0",
            &[&text],
        );
        if times > MAX_TIMES_SENT * documents.max(1) {
            let message = format!("{model} was sent a text of {documents} documents {times} times: {text:?}");
            report.fault("provider called too often", &message, "-- after the stress");
        }
    }
}

/// Checks that every row of an attached table is a document, and every document of its source is such a row.
fn attached(report: &Report, client: &mut Client) {
    let tables = client
        .query(
            "SELECT b.schema, a.location, a.source_id::text FROM kb_rag.attached_table a
             JOIN kb_rag.knowledge_base b ON b.id = a.knowledge_base_id ORDER BY 1, 2",
            &[],
        )
        .expect("the attached tables");
    for row in &tables {
        let (schema, table, source): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        let rows = format!("SELECT id::text, body FROM {table}");
        let documents =
            format!("SELECT source_key, content FROM {schema}.document WHERE source_id = '{source}'");
        let different: i64 = client.value(
            &format!(
                "SELECT (SELECT count(*) FROM ({rows} EXCEPT ALL {documents}) missing)
                + (SELECT count(*) FROM ({documents} EXCEPT ALL {rows}) surplus)"
            ),
            &[],
        );
        if different != 0 {
            let message = format!("{different} rows and documents of {table} in {schema} differ");
            report.fault("inconsistent", &message, "-- after the stress");
        }
    }
    report.note(format!("{} attached tables compared", tables.len()));
}
