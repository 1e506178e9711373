//! Measures the loss of quality with int8 weights: nDCG@10 of f32 and of int8 vectors over judged sets in
//! BEIR's layout (corpus.jsonl, queries.jsonl, qrels.tsv), and the cosine between the two. Prints a Markdown
//! table:
//! `cargo run --release -p kb_rag_encoder --example variants -- MODEL_DIRECTORY SET…`.
//!
//! A document is its title and text, truncated at the model's token limit. All documents are compared
//! exactly.

use std::collections::HashMap;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use kb_rag_encoder::{Encoder, InputType, Variant};
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const DEPTH: usize = 10;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let directory = arguments.next().ok_or("usage: variants MODEL_DIRECTORY SET…")?;
    let f32 = Encoder::open_variant(&directory, Variant::F32)?;
    let int8 = Encoder::open_variant(&directory, Variant::Int8)?;
    println!(
        "| set | documents | queries | nDCG@10 f32 | nDCG@10 int8 | difference | least cosine | mean cosine |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for set in arguments {
        let set = Set::read(&set)?;
        let (exact, quantized) = (Vectors::for_set(&f32, &set)?, Vectors::for_set(&int8, &set)?);
        let cosines: Vec<f32> =
            exact.documents.iter().zip(&quantized.documents).map(|(a, b)| dot(a, b)).collect();
        let (a, b) = (exact.ndcg(&set), quantized.ndcg(&set));
        println!(
            "| {} | {} | {} | {a:.4} | {b:.4} | {:+.4} | {:.4} | {:.4} |",
            set.name,
            set.documents.len(),
            set.queries.len(),
            b - a,
            cosines.iter().copied().fold(1.0, f32::min),
            cosines.iter().sum::<f32>() / cosines.len() as f32
        );
    }
    Ok(())
}

struct Set {
    name: String,
    documents: Vec<(String, String)>,
    /// Text and the relevance of documents.
    queries: Vec<(String, HashMap<String, f64>)>,
}

impl Set {
    fn read(directory: &Path) -> Result<Set> {
        let mut judgments: HashMap<String, HashMap<String, f64>> = HashMap::new();
        for line in read_to_string(directory.join("qrels.tsv"))?.lines().skip(1) {
            let [query, document, relevance] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("qrels.tsv: {line:?}").into());
            };
            let relevance: f64 = relevance.parse()?;
            if relevance > 0.0 {
                judgments.entry(query.to_owned()).or_default().insert(document.to_owned(), relevance);
            }
        }
        let documents = rows(&directory.join("corpus.jsonl"))?
            .into_iter()
            .map(|row| {
                let (title, content) = (text(&row, "title"), text(&row, "text"));
                (identifier(&row), if title.is_empty() { content } else { format!("{title}\n{content}") })
            })
            .collect();
        let queries = rows(&directory.join("queries.jsonl"))?
            .into_iter()
            .filter_map(|row| Some((text(&row, "text"), judgments.remove(&identifier(&row))?)))
            .collect();
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Set { name, documents, queries })
    }
}

fn rows(path: &Path) -> Result<Vec<Value>> {
    Ok(read_to_string(path)?.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?)
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_default().to_owned()
}

/// The name of the id differs between sets, and some sets write it as a number.
fn identifier(row: &Value) -> String {
    let id = row.get("_id").unwrap_or(&row["id"]);
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

struct Vectors {
    documents: Vec<Vec<f32>>,
    queries: Vec<Vec<f32>>,
}

impl Vectors {
    fn for_set(encoder: &Encoder, set: &Set) -> Result<Vectors> {
        let encode = |text: &str, input| encoder.encode(text, input, &mut || ());
        let documents = set.documents.iter().map(|(_, text)| encode(text, InputType::Document));
        let queries = set.queries.iter().map(|(text, _)| encode(text, InputType::Query));
        Ok(Vectors {
            documents: documents.collect::<std::result::Result<_, _>>()?,
            queries: queries.collect::<std::result::Result<_, _>>()?,
        })
    }

    /// The mean over all queries of the normalized discounted cumulative gain.
    fn ndcg(&self, set: &Set) -> f64 {
        let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let gain = |gains: &[f64]| -> f64 {
            gains.iter().take(DEPTH).enumerate().map(|(rank, gain)| gain * discount(rank)).sum()
        };
        let of_query = |(vector, (_, relevant)): (&Vec<f32>, &(String, HashMap<String, f64>))| {
            let mut ranked: Vec<(f32, &str)> = self
                .documents
                .iter()
                .zip(&set.documents)
                .map(|(document, (id, _))| (dot(vector, document), id.as_str()))
                .collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
            let found: Vec<f64> = ranked
                .iter()
                .take(DEPTH)
                .map(|(_, id)| relevant.get(*id).copied().unwrap_or_default())
                .collect();
            let mut ideal: Vec<f64> = relevant.values().copied().collect();
            ideal.sort_by(|a, b| b.total_cmp(a));
            gain(&found) / gain(&ideal)
        };
        self.queries.iter().zip(&set.queries).map(of_query).sum::<f64>() / set.queries.len() as f64
    }
}

/// The cosine of two vectors of length 1.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
