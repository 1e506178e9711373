//! Measures one core: `cargo run --release -p kb_rag_encoder --example throughput -- MODEL_DIRECTORY`.

use std::path::PathBuf;
use std::time::Instant;

use kb_rag_encoder::{Encoder, Error, InputType};

fn main() -> Result<(), Error> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from).unwrap_or_default();
    let start = Instant::now();
    let encoder = Encoder::open(&directory)?;
    println!("open: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let query = "how do I reset a forgotten password?".to_owned();
    let sentence =
        "Reciprocal rank fusion adds up, for every document, the inverse of its rank in each list. ";
    for (name, text, input, count) in
        [("query", query, InputType::Query, 200), ("passage", sentence.repeat(11), InputType::Document, 50)]
    {
        encoder.encode(&text, input, &mut || ())?;
        let start = Instant::now();
        for _ in 0..count {
            encoder.encode(&text, input, &mut || ())?;
        }
        let seconds = start.elapsed().as_secs_f64() / f64::from(count);
        let tokens = encoder.count_tokens(&text);
        println!("{name} of {tokens} tokens: {:.2} ms, {:.1}/s", seconds * 1e3, 1.0 / seconds);
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status
            .lines()
            .filter(|line| line.starts_with("Rss") || line.starts_with("VmHWM"))
            .for_each(|line| println!("{line}"));
    }
    Ok(())
}
