//! kb_hybrid_search against the public pattern and against an OR with ts_rank, over the same passages and vectors.

use anyhow::Result;
use uuid::Uuid;

use crate::base::{self, Base};
use crate::bench::Bench;
use crate::contest::{self, Contender, Record, Takes};
use crate::oracle::{Bm25, overlap, reciprocal_rank_fusion};
use crate::queries::{Query, Stratum, stratified};
use crate::report::figure;
use crate::server::Vector;
use crate::statistics::{mean, median, quantile, range, ratios};

const PART: &str = "2-hybrid";
const COUNT: i64 = 10;
/// The number of candidates per arm for ten results.
const DEPTH: usize = 50;
/// The tolerance of scores against the oracle's.
const TOLERANCE: f64 = 1e-6;
const OURS: usize = 0;
const AND: usize = 1;
const OR: usize = 2;
const AND_DEEP: usize = 3;
/// The size for which there is a bar in milliseconds, and the bar.
const MAX_MILLISECONDS: (usize, f64) = (50_000, 3.0);

fn contenders(base: &Base) -> [Contender; 5] {
    let takes = Takes::TextAndVector;
    // Literals, not parameters, so that no plan has to guess them.
    let pattern =
        |sql: &str, arm: usize| sql.replace("{wide}", &base.wide).replace("{arm}", &arm.to_string());
    [
        Contender {
            name: "kb_hybrid_search",
            takes,
            setting: None,
            sql: format!(
                "SELECT chunk_id, content, metadata, score FROM kb_hybrid_search($1, '{}', $3, query_embedding => $2)",
                base.name
            ),
        },
        Contender {
            name: "public pattern: AND, ts_rank_cd",
            takes,
            setting: None,
            sql: pattern(include_str!("../sql/public_pattern.sql"), 2 * COUNT as usize),
        },
        Contender {
            name: "the same with OR, ts_rank",
            takes,
            setting: None,
            sql: pattern(include_str!("../sql/or_ts_rank.sql"), DEPTH),
        },
        // The pattern with as many candidates in the vector index as kb_hybrid_search.
        Contender {
            name: "public pattern, hnsw.ef_search = 100",
            takes,
            setting: Some(("hnsw.ef_search", "100")),
            sql: pattern(include_str!("../sql/public_pattern.sql"), DEPTH),
        },
        Contender { name: "its keyword arm alone", takes, setting: None, sql: keyword_arm(base) },
    ]
}

fn keyword_arm(base: &Base) -> String {
    format!(
        "SELECT chunk_id, content, metadata, score FROM kb_search($1, '{}', 'keyword', $3, query_embedding => $2, \
         ranker => 'bm25')",
        base.name
    )
}

pub fn measure(bench: &mut Bench) -> Result<()> {
    for len in bench.extent.compared.clone() {
        let queries = stratified(&bench.corpus, len, bench.extent.each);
        let contenders = contenders(bench.base(len)?);
        let records = contest::run(&mut bench.server, &contenders, &queries, COUNT, bench.extent.explained)?;
        bench.report.progress(&format!("hybrid search at {len} chunks: {} queries", queries.len()));
        let exact = agree(bench, len, &queries)?;
        tabulate(bench, len, &records, &exact)?;
        // The smallest base shows the minimum cost of a search.
        if Some(&len) != bench.extent.compared.first() {
            // Each evicts as much of the processor's caches as the other: what the OR reads would slow down the next one alone.
            let pair = contest::run(&mut bench.server, &contenders[..=AND], &queries, COUNT, 0)?;
            judge(bench, len, &records, &pair)?;
        }
    }
    Ok(())
}

/// Compares the keyword arm with BM25 over every chunk; returns the exact answers of hybrid search to the
/// first queries.
fn agree(bench: &mut Bench, len: usize, queries: &[Query]) -> Result<Vec<Vec<Uuid>>> {
    let Bench { server, corpus, bases, report, extent } = bench;
    let Some(base) = bases.iter().find(|base| base.len == len) else { return Ok(Vec::new()) };
    let oracle = Bm25::new(corpus, &base.chunks);
    let keyword = server.prepare(&keyword_arm(base))?;
    let mut exact = Vec::new();
    let mut same = 0;
    let mut largest: f64 = 0.0;
    for (n, query) in queries.iter().enumerate() {
        let (rows, _) = server.time(&keyword, &[&query.text, &Vector(query.vector.clone()), &COUNT])?;
        let best = oracle.best(&query.words, DEPTH);
        let wanted = &best[..best.len().min(COUNT as usize)];
        let mut differences = Vec::new();
        for (row, (_, score)) in rows.iter().zip(wanted) {
            differences.push((row.try_get::<_, f64>(3)? - score).abs());
        }
        largest = differences.iter().copied().fold(largest, f64::max);
        // Scores are compared rank by rank: chunks may differ only where their scores are equal.
        same += usize::from(rows.len() == wanted.len() && differences.iter().all(|d| *d <= TOLERANCE));
        // The strata take turns.
        if n >= extent.few * Stratum::ALL.len() {
            continue;
        }
        let nearest = base::nearest(server, base, &query.vector, None, DEPTH as i64)?;
        let ids: Vec<Uuid> = best.iter().map(|(id, _)| *id).collect();
        let mut fused = reciprocal_rank_fusion(&nearest, &ids);
        fused.truncate(COUNT as usize);
        exact.push(fused);
    }
    report.check(
        &format!("keyword arm, {len} chunks: the top 10 of BM25 over every chunk"),
        &format!("{same} of {} queries, scores within {largest:.0e}", queries.len()),
        same == queries.len(),
    )?;
    report.progress(&format!("oracle at {len} chunks"));
    Ok(exact)
}

fn tabulate(bench: &Bench, len: usize, records: &[Record], exact: &[Vec<Uuid>]) -> Result<()> {
    let mut rows = Vec::new();
    for stratum in Stratum::ALL {
        let ours = records[OURS].times(&[stratum]);
        for (at, record) in records.iter().enumerate() {
            let times = record.times(&[stratum]);
            let touched = record.touched(&[stratum]);
            let answers = record.answers.iter().zip(exact).filter(|(answer, _)| answer.stratum == stratum);
            let agreement: Vec<f64> = answers.map(|(answer, exact)| overlap(&answer.found, exact)).collect();
            rows.push(vec![
                stratum.name().to_string(),
                record.name.to_string(),
                figure(median(&times)),
                figure(quantile(&times, 0.95)),
                if at == OURS { "1".to_string() } else { range(&ratios(&times, &ours)) },
                figure(touched.buffers),
                figure(touched.rows),
                figure(record.mean_found(&[stratum])),
                if at <= AND_DEEP { figure(mean(&agreement)) } else { String::new() },
            ]);
        }
    }
    bench.report.table(
        PART,
        &format!("Hybrid search, {len} chunks"),
        &format!(
            "{} queries per stratum, 10 results. Ratio: time over that of kb_hybrid_search for the same query, median (5th \
             to 95th percentile); above 1, kb_hybrid_search is faster. Agreement: share of the ten best by BM25 and \
             cosine of every chunk, fused, that were found.",
            bench.extent.each
        ),
        &["words", "statement", "median ms", "p95 ms", "ratio", "buffers", "rows", "found", "agreement"],
        &rows,
    )
}

/// `pair` has the answers of kb_hybrid_search and of the public pattern alone, in turn.
fn judge(bench: &Bench, len: usize, records: &[Record], pair: &[Record]) -> Result<()> {
    const SELECTIVE: [Stratum; 2] = [Stratum::Rare, Stratum::Medium];
    const COMMON: [Stratum; 1] = [Stratum::Common];
    if len == MAX_MILLISECONDS.0 {
        for stratum in Stratum::ALL {
            let took = median(&records[OURS].times(&[stratum]));
            bench.report.target(
                &format!("hybrid, {len} chunks, {} words: median", stratum.name()),
                &format!("at most {} ms", MAX_MILLISECONDS.1),
                &format!("{} ms", figure(took)),
                took <= MAX_MILLISECONDS.1,
            )?;
        }
    }
    let times = [OURS, AND].map(|at| pair[at].times(&SELECTIVE));
    let slower = ratios(&times[OURS], &times[AND]);
    bench.report.target(
        &format!("hybrid, {len} chunks, selective queries: time against the public pattern"),
        "at most 1",
        &format!(
            "{}; {} ms, the pattern {} ms",
            range(&slower),
            figure(median(&times[OURS])),
            figure(median(&times[AND]))
        ),
        median(&slower) <= 1.0,
    )?;
    let faster = ratios(&records[OR].times(&COMMON), &records[OURS].times(&COMMON));
    bench.report.target(
        &format!("hybrid, {len} chunks, common words: faster than OR with ts_rank"),
        "10 times",
        &range(&faster),
        median(&faster) >= 10.0,
    )
}
