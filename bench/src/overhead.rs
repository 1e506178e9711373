//! match_knowledge_chunks against the same plan written by hand.

use anyhow::Result;

use crate::base;
use crate::bench::Bench;
use crate::contest::{self, Contender, Takes};
use crate::oracle::overlap;
use crate::queries::{Stratum, stratified};
use crate::report::figure;
use crate::statistics::{mean, median, range, ratios};

const PART: &str = "3-similar";
const COUNT: i64 = 5;
/// Up to this many vectors, the extension compares all of them.
const EXACT_ROWS: usize = 5_000;

pub fn measure(bench: &mut Bench) -> Result<()> {
    let all = Stratum::ALL;
    let mut rows = Vec::new();
    for len in bench.extent.compared.clone() {
        let base = bench.bases.iter().find(|base| base.len == len);
        let Some(base) = base else { continue };
        let by_hand = if len <= EXACT_ROWS {
            include_str!("../sql/nearest_by_hand_exact.sql")
        } else {
            include_str!("../sql/nearest_by_hand.sql")
        };
        let contenders = [
            Contender {
                name: "match_knowledge_chunks",
                takes: Takes::Vector,
                setting: None,
                sql: format!(
                    "SELECT id, content, similarity, metadata FROM match_knowledge_chunks('{}', $1, $2, 0.3)",
                    base.id
                ),
            },
            Contender {
                name: "the same by hand",
                takes: Takes::Vector,
                setting: None,
                sql: by_hand.replace("{schema}", &base.schema),
            },
        ];
        let queries = stratified(&bench.corpus, len, bench.extent.each);
        // The settings that the extension makes for its own scan.
        bench.server.run("SET hnsw.iterative_scan = off; SET hnsw.ef_search = 40")?;
        let records = contest::run(&mut bench.server, &contenders, &queries, COUNT, bench.extent.explained)?;
        bench.server.run("RESET hnsw.iterative_scan; RESET hnsw.ef_search")?;
        let (ours, theirs) = (records[0].times(&all), records[1].times(&all));
        let mut recalls = [Vec::new(), Vec::new()];
        for (n, query) in queries.iter().enumerate().take(bench.extent.few * all.len()) {
            let exact = base::nearest(&mut bench.server, base, &query.vector, None, COUNT)?;
            for (recalls, record) in recalls.iter_mut().zip(&records) {
                recalls.push(overlap(&record.answers[n].found, &exact));
            }
        }
        let differences: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
        let ratio = ratios(&ours, &theirs);
        for (record, recalls) in records.iter().zip(&recalls) {
            let touched = record.touched(&all);
            let is_ours = record.name == contenders[0].name;
            rows.push(vec![
                len.to_string(),
                record.name.to_string(),
                figure(median(&record.times(&all))),
                if is_ours { range(&ratio) } else { String::new() },
                if is_ours { range(&differences) } else { String::new() },
                figure(mean(recalls)),
                figure(touched.buffers),
                figure(touched.rows),
            ]);
        }
        bench.report.target(
            &format!("match_knowledge_chunks, {len} chunks, against the same SQL by hand"),
            "at most 5 % or 0.1 ms more",
            &format!("{:+.1} %, {:+.3} ms", (median(&ratio) - 1.0) * 100.0, median(&differences)),
            median(&ratio) <= 1.05 || median(&differences) <= 0.1,
        )?;
        bench.report.progress(&format!("match_knowledge_chunks at {len} chunks"));
    }
    bench.report.table(
        PART,
        "`match_knowledge_chunks` against the same plan by hand",
        &format!(
            "{} queries per base, 5 results. Ratio and difference of the pairs: median (5th to 95th percentile).",
            bench.extent.each * all.len()
        ),
        &["chunks", "statement", "median ms", "ratio", "difference, ms", "recall@5", "buffers", "rows"],
        &rows,
    )
}
