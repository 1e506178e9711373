//! Searches under row security against the same searches without it.

use anyhow::Result;

use crate::base;
use crate::bench::Bench;
use crate::queries::{Query, stratified};
use crate::report::figure;
use crate::server::{Server, Vector};
use crate::statistics::{mean, median, milliseconds};
use crate::workers;

const PART: &str = "6-row-security";
const COUNT: i64 = 10;
const ROLE: &str = "kb_rag_bench_reader";
/// The share of the chunks that are visible, the shelf, and how the policy compares with it.
const SHARES: [(&str, &str, &str); 4] =
    [("2 %", "narrow", "="), ("20 %", "wide", "="), ("50 %", "half", "="), ("98 %", "narrow", "<>")];
/// The policy on documents.
const POLICIES: [(&str, Policy); 3] = [
    ("with an index", Policy::Indexed),
    ("without an index", Policy::Plain),
    ("a table of members", Policy::Members),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// Compares metadata with a setting; there is an index on what is compared.
    Indexed,
    /// The same without the index.
    Plain,
    /// Looks up the caller in a table.
    Members,
}

/// The extent of the measurement.
pub struct Extent {
    /// The sizes of the bases, in chunks.
    sizes: Vec<usize>,
    /// Queries per stratum, each asked once.
    each: usize,
}

impl Extent {
    pub fn full(large: bool) -> Extent {
        let sizes = if large { vec![50_000, 200_000, 1_000_000] } else { vec![50_000, 200_000] };
        Extent { sizes, each: 200 }
    }

    pub fn smoke() -> Extent {
        Extent { sizes: vec![600], each: 1 }
    }

    /// The passages that are needed.
    pub fn passages(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or_default()
    }
}

pub fn measure(bench: &mut Bench, extent: &Extent) -> Result<()> {
    workers::stop(&mut bench.server)?;
    let mut rows = Vec::new();
    for len in &extent.sizes {
        let Bench { server, corpus, report, .. } = bench;
        let base = base::load(server, corpus, *len, report)?;
        let queries = stratified(corpus, *len, extent.each);
        rows.extend(measure_base(bench, &base, &queries)?);
        bench.server.run(&format!("SELECT kb_drop('{}')", base.name))?;
    }
    bench.server.run(&format!("DROP TABLE bench_member; DROP ROLE {ROLE}"))?;
    bench.report.table(
        PART,
        "Row security",
        "10 results. Ratio: median time over that without policies. Found: rows of the answer.",
        &["chunks", "visible", "policy", "mode", "median ms", "slowest ms", "ratio", "found"],
        &rows,
    )
}

fn measure_base(bench: &mut Bench, base: &base::Base, queries: &[Query]) -> Result<Vec<Vec<String>>> {
    let Bench { server, report, .. } = bench;
    let schema = &base.schema;
    server.run(&format!(
        "DO $$ BEGIN IF to_regrole('{ROLE}') IS NULL THEN CREATE ROLE {ROLE}; END IF; END $$;
         SELECT kb_grant('{}', '{ROLE}', 'read');
         CREATE TABLE IF NOT EXISTS bench_member (name name, shelf text);
         GRANT SELECT ON bench_member TO {ROLE};",
        base.name
    ))?;
    let mut rows = Vec::new();
    for mode in ["hybrid", "keyword", "semantic"] {
        let free = run(server, &search(&base.name, mode), queries)?;
        rows.push(row(base.len, "all", "none", mode, &free, None));
        for (name, policy) in POLICIES {
            for (share, shelf, compares) in SHARES {
                server.run(&policies(schema, policy, shelf, compares))?;
                server.run(&format!("SET ROLE {ROLE}; SET app.shelf = '{shelf}'"))?;
                let secured = run(server, &search(&base.name, mode), queries)?;
                server.run("RESET ROLE")?;
                rows.push(row(base.len, share, name, mode, &secured, Some(&free)));
                if let Some(max) = max_milliseconds(mode, share, policy).filter(|_| base.len == 200_000) {
                    let took = median(&secured.times);
                    report.target(
                        &format!("{mode} search, {} chunks, {share} visible, {name}", base.len),
                        &max.0,
                        &format!("{} ms, {} ms without policies", figure(took), figure(median(&free.times))),
                        took <= (max.1)(median(&free.times)),
                    )?;
                }
                report.progress(&format!(
                    "{mode}, {} chunks, {share} visible, {name}: {}",
                    base.len,
                    figure(median(&secured.times))
                ));
            }
        }
        server.run(&without_policies(schema))?;
    }
    Ok(rows)
}

type Bar = (String, fn(f64) -> f64);

/// The most a search may take, given the time without policies.
fn max_milliseconds(mode: &str, share: &str, policy: Policy) -> Option<Bar> {
    if policy == Policy::Members {
        return None;
    }
    match (mode, share) {
        ("hybrid", "2 %") => Some(("at most 100 ms".into(), |_| 100.0)),
        ("hybrid", _) => Some(("at most 3 times".into(), |free| 3.0 * free)),
        ("keyword", "2 %") => Some(("at most 60 ms".into(), |_| 60.0)),
        ("keyword", _) => Some(("at most 15 ms".into(), |_| 15.0)),
        _ => None,
    }
}

fn policies(schema: &str, policy: Policy, shelf: &str, compares: &str) -> String {
    let condition = match policy {
        Policy::Indexed | Policy::Plain => {
            format!("metadata->>'shelf' {compares} current_setting('app.shelf', true)")
        }
        Policy::Members => {
            "metadata->>'shelf' IN (SELECT m.shelf FROM bench_member m WHERE m.name = current_user)"
                .to_string()
        }
    };
    let index = if policy == Policy::Indexed {
        format!(
            "CREATE INDEX bench_shelf ON {schema}.document ((metadata->>'shelf')); ANALYZE {schema}.document;"
        )
    } else {
        String::new()
    };
    format!(
        "{without}
         TRUNCATE bench_member;
         INSERT INTO bench_member SELECT '{ROLE}', shelf FROM unnest(ARRAY['narrow', 'wide', 'half', 'other']) shelf
             WHERE shelf {compares} '{shelf}';
         INSERT INTO bench_member SELECT 'other' || n, 'half' FROM generate_series(1, 100) n;
         ANALYZE bench_member;
         {index}
         ALTER TABLE {schema}.document ENABLE ROW LEVEL SECURITY;
         ALTER TABLE {schema}.chunk ENABLE ROW LEVEL SECURITY;
         ALTER TABLE {schema}.embedding ENABLE ROW LEVEL SECURITY;
         CREATE POLICY bench ON {schema}.document USING ({condition});
         CREATE POLICY bench ON {schema}.chunk USING (EXISTS (SELECT FROM {schema}.document d WHERE d.id = document_id));
         CREATE POLICY bench ON {schema}.embedding USING (EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = chunk_id));",
        without = without_policies(schema)
    )
}

fn without_policies(schema: &str) -> String {
    let tables = ["document", "chunk", "embedding"].map(|table| {
        format!("DROP POLICY IF EXISTS bench ON {schema}.{table}; ALTER TABLE {schema}.{table} DISABLE ROW LEVEL SECURITY;")
    });
    format!("DROP INDEX IF EXISTS {schema}.bench_shelf; {}", tables.concat())
}

fn search(name: &str, mode: &str) -> String {
    format!("SELECT chunk_id FROM kb_search($1, '{name}', '{mode}', $3, query_embedding => $2)")
}

struct Record {
    times: Vec<f64>,
    found: Vec<f64>,
}

/// Asks each query once, after one that is not timed.
fn run(server: &mut Server, sql: &str, queries: &[Query]) -> Result<Record> {
    let statement = server.prepare(sql)?;
    let mut record = Record { times: Vec::new(), found: Vec::new() };
    for (is_timed, queries) in [(false, &queries[..queries.len().min(5)]), (true, queries)] {
        for query in queries {
            let (rows, time) =
                server.time(&statement, &[&query.text, &Vector(query.vector.clone()), &COUNT])?;
            if is_timed {
                record.times.push(milliseconds(time));
                record.found.push(rows.len() as f64);
            }
        }
    }
    Ok(record)
}

fn row(
    len: usize,
    share: &str,
    policy: &str,
    mode: &str,
    record: &Record,
    free: Option<&Record>,
) -> Vec<String> {
    let slowest = record.times.iter().copied().fold(0.0, f64::max);
    let ratio = free.map_or(String::new(), |free| figure(median(&record.times) / median(&free.times)));
    vec![
        len.to_string(),
        share.to_string(),
        policy.to_string(),
        mode.to_string(),
        figure(median(&record.times)),
        figure(slowest),
        ratio,
        figure(mean(&record.found)),
    ]
}
