//! Hybrid search over bases of growing size: time, buffers, and bytes on disk.

use anyhow::Result;

use crate::base::sizes;
use crate::bench::Bench;
use crate::contest::{self, Contender, Takes};
use crate::plot::{self, Series};
use crate::queries::{Stratum, stratified};
use crate::report::figure;
use crate::statistics::{median, quantile};

const PART: &str = "6-scale";
const COUNT: i64 = 10;
const STORES: [&str; 4] = ["chunk table", "keyword index", "vectors", "HNSW index"];

pub fn measure(bench: &mut Bench) -> Result<()> {
    let mut times: Vec<Vec<String>> = Vec::new();
    let mut bytes: Vec<Vec<String>> = Vec::new();
    let mut curves: Vec<Series> = Stratum::ALL.iter().map(|stratum| Series::new(stratum.name())).collect();
    let mut growth: Vec<Series> = STORES.iter().map(|store| Series::new(store)).collect();
    let Bench { server, corpus, bases, report, extent } = bench;
    for base in bases.iter() {
        let contender = Contender {
            name: "kb_hybrid_search",
            takes: Takes::TextAndVector,
            setting: None,
            sql: format!(
                "SELECT chunk_id, content, metadata, score FROM kb_hybrid_search($1, '{}', $3, query_embedding => $2)",
                base.name
            ),
        };
        let queries = stratified(corpus, base.len, extent.few);
        let records = contest::run(server, &[contender], &queries, COUNT, extent.explained)?;
        for (stratum, curve) in Stratum::ALL.into_iter().zip(&mut curves) {
            let of_stratum = records[0].times(&[stratum]);
            let touched = records[0].touched(&[stratum]);
            curve.points.push((base.len as f64, median(&of_stratum)));
            times.push(vec![
                base.len.to_string(),
                stratum.name().to_string(),
                figure(median(&of_stratum)),
                figure(quantile(&of_stratum, 0.95)),
                figure(touched.buffers),
                figure(touched.rows),
            ]);
        }
        let on_disk = sizes(server, base)?.map(|size| size as f64 / (1 << 20) as f64);
        for (size, curve) in on_disk.iter().zip(&mut growth) {
            curve.points.push((base.len as f64, *size));
        }
        let mut row = vec![base.len.to_string()];
        row.extend(on_disk.map(figure));
        row.push(figure(base.len as f64 / base.times.documents.as_secs_f64()));
        row.push(figure(base.times.index.as_secs_f64()));
        bytes.push(row);
        report.progress(&format!("scale at {} chunks", base.len));
    }
    report.table(
        PART,
        "Hybrid search by size of the base",
        &format!("{} queries per stratum and base, 10 results.", extent.few),
        &["chunks", "words", "median ms", "p95 ms", "buffers", "rows"],
        &times,
    )?;
    let mut header = vec!["chunks"];
    let stores = STORES.map(|store| format!("{store}, MB"));
    header.extend(stores.iter().map(String::as_str));
    header.extend(["loaded, chunks/s", "HNSW built, s"]);
    report.table(
        PART,
        "Size on disk, and loading",
        "Loaded by COPY with the fake model and without the vector index, which is built afterwards.",
        &header,
        &bytes,
    )?;
    plot::lines(&report.directory.join("scale-time.svg"), "Hybrid search", "chunks", "median ms", &curves)?;
    plot::lines(&report.directory.join("scale-size.svg"), "Size on disk", "chunks", "MB", &growth)
}
