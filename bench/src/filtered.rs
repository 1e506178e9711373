//! Searches with a selective filter: completeness, recall and speed.

use anyhow::Result;

use crate::base::{self, Base};
use crate::bench::Bench;
use crate::contest::{self, Contender, Takes};
use crate::oracle::overlap;
use crate::queries::{Stratum, stratified};
use crate::report::figure;
use crate::server::Vector;
use crate::statistics::{mean, median, quantile, range, ratios};

const PART: &str = "4-filtered";
const COUNT: i64 = 10;
/// The most results that a search returns.
const MAX_RESULTS: i64 = 10_000;
/// Filters, with the share of passages that pass.
const FILTERS: [(&str, &str); 2] = [("2 %", r#"{"shelf": "narrow"}"#), ("20 %", r#"{"shelf": "wide"}"#)];
/// Searches that ask for more results than exist, per filter and mode.
const COMPLETE: usize = 3;

fn contenders(base: &Base, filter: &str) -> [Contender; 3] {
    let search = |mode: &str, question: &str, vector: &str, count: &str| {
        format!(
            "SELECT chunk_id, content, metadata, score FROM kb_search({question}, '{}', '{mode}', {count}, \
             filter => '{filter}', query_embedding => {vector})",
            base.name
        )
    };
    [
        Contender {
            name: "kb_search, semantic",
            takes: Takes::Vector,
            setting: None,
            sql: search("semantic", "'by vector'", "$1", "$2"),
        },
        Contender {
            name: "one table, pgvector's defaults",
            takes: Takes::Vector,
            setting: None,
            sql: include_str!("../sql/filtered_pattern.sql")
                .replace("{wide}", &base.wide)
                .replace("{filter}", filter),
        },
        Contender {
            name: "kb_hybrid_search",
            takes: Takes::TextAndVector,
            setting: None,
            sql: search("hybrid", "$1", "$2", "$3"),
        },
    ]
}

pub fn measure(bench: &mut Bench) -> Result<()> {
    let mut rows = Vec::new();
    // In the smallest base every vector is compared anyway.
    for len in bench.extent.compared.iter().skip(1).copied().collect::<Vec<_>>() {
        for (share, filter) in FILTERS {
            rows.extend(measure_filter(bench, len, share, filter)?);
        }
        bench.report.progress(&format!("filtered search at {len} chunks"));
    }
    bench.report.table(
        PART,
        "Filtered search",
        "10 results by vector, or hybrid. Ratio: time over that of kb_search for the same query, median (5th to 95th \
         percentile). Recall against the exact ten nearest that pass the filter.",
        &["chunks", "pass", "statement", "median ms", "p95 ms", "ratio", "buffers", "rows", "found", "recall@10"],
        &rows,
    )
}

fn measure_filter(bench: &mut Bench, len: usize, share: &str, filter: &str) -> Result<Vec<Vec<String>>> {
    let all = Stratum::ALL;
    let Bench { server, corpus, bases, report, extent } = bench;
    let Some(base) = bases.iter().find(|base| base.len == len) else { return Ok(Vec::new()) };
    let contenders = contenders(base, filter);
    let queries = stratified(corpus, len, extent.filtered);
    let records = contest::run(server, &contenders, &queries, COUNT, extent.explained)?;
    let mut recalls = vec![Vec::new(); records.len()];
    for (n, query) in queries.iter().enumerate() {
        let exact = base::nearest(server, base, &query.vector, Some(filter), COUNT)?;
        for (recalls, record) in recalls.iter_mut().zip(&records) {
            recalls.push(overlap(&record.answers[n].found, &exact));
        }
    }

    let count = format!("SELECT count(*) FROM {}.chunk WHERE metadata @> '{filter}'", base.schema);
    let existing = server.number(&count, &[])?;
    let asked = (existing + 100).min(MAX_RESULTS);
    let mut fewest = i64::MAX;
    for query in queries.iter().take(COMPLETE) {
        let vector = Vector(query.vector.clone());
        for contender in [&contenders[0], &contenders[2]] {
            let found = match contender.takes {
                Takes::Vector => server.query(&contender.sql, &[&vector, &asked])?,
                Takes::TextAndVector => server.query(&contender.sql, &[&query.text, &vector, &asked])?,
            };
            fewest = fewest.min(found.len() as i64);
        }
    }
    report.check(
        &format!("filtered search, {len} chunks, {share} pass: complete"),
        &format!("{fewest} of {} existing rows, {asked} requested", existing),
        fewest == existing.min(asked),
    )?;
    let recall = mean(&recalls[0]);
    report.target(
        &format!("filtered search, {len} chunks, {share} pass: recall@10"),
        "at least 0.99",
        &format!("{recall:.4}"),
        recall >= 0.99,
    )?;

    let ours = records[0].times(&all);
    let rows = records.iter().zip(&recalls).map(|(record, recalls)| {
        let times = record.times(&all);
        let touched = record.touched(&all);
        // The keyword arm adds other chunks, so recall of the nearest ones does not apply to hybrid search.
        let semantic = record.name != contenders[2].name;
        vec![
            len.to_string(),
            share.to_string(),
            record.name.to_string(),
            figure(median(&times)),
            figure(quantile(&times, 0.95)),
            range(&ratios(&times, &ours)),
            figure(touched.buffers),
            figure(touched.rows),
            figure(record.mean_found(&all)),
            if semantic { format!("{:.4}", mean(recalls)) } else { String::new() },
        ]
    });
    Ok(rows.collect())
}
