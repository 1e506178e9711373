//! Measures one core and one process's memory:
//! `cargo run --release -p kb_rag_encoder --example throughput -- MODEL_DIRECTORY`.
//!
//! A row for each kind of weights there and each kernel the processor has. The rounds of all rows alternate,
//! and each gives its best, so that what else the machine does disturbs no row alone.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kb_rag_encoder::{Encoder, Error, InputType, Kernel, Variant};

const ROUNDS: usize = 10;

struct Row {
    encoder: Encoder,
    /// The shortest time seen for each text.
    best: [Duration; 2],
}

fn main() -> Result<(), Error> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from).unwrap_or_default();
    let sentence =
        "Reciprocal rank fusion adds up, for every document, the inverse of its rank in each list. ";
    let texts = ["how do I reset a forgotten password?".to_owned(), sentence.repeat(11)];

    // Before anything else is opened, so that it is what one backend has.
    let start = Instant::now();
    let encoder = Encoder::open(&directory)?;
    println!("open: {:.1} ms, {} weights", start.elapsed().as_secs_f64() * 1e3, encoder.variant());
    report_memory("opened");
    let mut layers = 0;
    encoder.encode(&texts[1], InputType::Document, &mut || {
        layers += 1;
        if layers == 4 {
            report_memory("inside a passage");
        }
    })?;
    report_memory("after a passage");

    let mut rows = Vec::new();
    for variant in [Variant::F32, Variant::Int8] {
        if directory.join(variant.file()).exists() {
            for kernel in Kernel::available() {
                let encoder = Encoder::open_variant(&directory, variant)?.with_kernel(kernel);
                rows.push(Row { encoder, best: [Duration::MAX; 2] });
            }
        }
    }
    for _ in 0..ROUNDS {
        for row in &mut rows {
            for (text, (best, count)) in texts.iter().zip(row.best.iter_mut().zip([10, 3])) {
                row.encoder.encode(text, InputType::Query, &mut || ())?;
                for _ in 0..count {
                    let start = Instant::now();
                    row.encoder.encode(text, InputType::Query, &mut || ())?;
                    *best = start.elapsed().min(*best);
                }
            }
        }
    }
    let [query, passage] = texts.each_ref().map(|text| encoder.count_tokens(text));
    println!("weights kernel       query of {query}    passage of {passage}");
    for Row { encoder, best } in &rows {
        let [query, passage] = best.map(|best| best.as_secs_f64());
        let (milliseconds, rate) = (passage * 1e3, 1.0 / passage);
        let (variant, kernel) = (encoder.variant(), encoder.kernel());
        println!("{variant:7} {kernel:11} {:8.2} ms {milliseconds:11.1} ms, {rate:.1}/s", query * 1e3);
    }
    Ok(())
}

/// Memory of this process alone, and what it shares or could share with others.
fn report_memory(when: &str) {
    let Ok(rollup) = std::fs::read_to_string("/proc/self/smaps_rollup") else { return };
    let kilobytes = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    println!("{when}: {} kB private and written, {} kB in all", kilobytes("Private_Dirty"), kilobytes("Rss"));
}
