//! Measures one core and the memory of one process, and prints two Markdown tables:
//! `cargo run --release -p kb_rag_encoder --example throughput -- MODEL_DIRECTORY`.
//!
//! Speed: one row for the f32 weights, whose large products do not depend on the kernel, and one for the int8
//! weights on each kernel that the processor has. The rounds of all rows alternate, so that other load on the
//! machine disturbs no single row. Memory: what a process has to itself beyond the mapped file. Each kind of
//! weights is measured in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use kb_rag_encoder::{Encoder, InputType, Kernel, Variant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const ROUNDS: usize = 15;
/// The argument with which this program starts itself.
const MEMORY: &str = "--memory";

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("usage: throughput MODEL_DIRECTORY")?);
    let variants = [Variant::F32, Variant::Int8];
    let present: Vec<Variant> =
        variants.into_iter().filter(|variant| directory.join(variant.file()).exists()).collect();
    if arguments.next().is_some_and(|option| option == MEMORY) {
        let wanted = arguments.next().unwrap_or_default();
        let variant = present.into_iter().find(|variant| wanted == variant.name());
        return memory(&directory, variant.ok_or("no such weights")?);
    }
    speed(&directory, &present)?;
    println!("\n| weights | open, ms | private memory, kB | most while embedding, kB |\n|---|---|---|---|");
    for variant in present {
        let program = std::env::current_exe()?;
        Command::new(program).arg(&directory).args([MEMORY, variant.name()]).status()?;
    }
    Ok(())
}

/// A question and a chunk.
fn texts() -> [String; 2] {
    let sentence =
        "Reciprocal rank fusion adds up, for every document, the inverse of its rank in each list. ";
    ["how do I reset a forgotten password?".to_owned(), sentence.repeat(11)]
}

struct Row {
    encoder: Encoder,
    /// The times of each text.
    times: [Vec<Duration>; 2],
}

fn speed(directory: &Path, variants: &[Variant]) -> Result<()> {
    let texts = texts();
    let mut rows = Vec::new();
    for &variant in variants {
        let kernels = if variant == Variant::F32 { vec![Kernel::best()] } else { Kernel::available() };
        for kernel in kernels {
            let encoder = Encoder::open_variant(directory, variant)?.with_kernel(kernel);
            rows.push(Row { encoder, times: [Vec::new(), Vec::new()] });
        }
    }
    for _ in 0..ROUNDS {
        for row in &mut rows {
            for (text, (times, count)) in texts.iter().zip(row.times.iter_mut().zip([10, 3])) {
                // Not counted: the caches are full of another row's weights.
                row.encoder.encode(text, InputType::Query, &mut || ())?;
                for _ in 0..count {
                    let start = Instant::now();
                    row.encoder.encode(text, InputType::Query, &mut || ())?;
                    times.push(start.elapsed());
                }
            }
        }
    }
    let Some(first) = rows.first() else { return Err("no weights in this directory".into()) };
    let [query, passage] = texts.each_ref().map(|text| first.encoder.count_tokens(text));
    println!(
        "| weights | kernel | query of {query} tokens, ms (least) | chunk of {passage} tokens, ms (least) | chunks/s |"
    );
    println!("|---|---|---|---|---|");
    for Row { encoder, times } in &mut rows {
        let [query, passage] = times.each_mut().map(|times| {
            times.sort();
            (times[times.len() / 2].as_secs_f64() * 1e3, times[0].as_secs_f64() * 1e3)
        });
        println!(
            "| {} | {} | {:.2} ({:.2}) | {:.1} ({:.1}) | {:.1} |",
            encoder.variant(),
            encoder.kernel(),
            query.0,
            query.1,
            passage.0,
            passage.1,
            1e3 / passage.0
        );
    }
    Ok(())
}

/// Prints a row with the memory that one backend would need for these weights.
fn memory(directory: &Path, variant: Variant) -> Result<()> {
    let start = Instant::now();
    let encoder = Encoder::open_variant(directory, variant)?;
    let open = start.elapsed().as_secs_f64() * 1e3;
    let opened = private_kilobytes()?;
    let mut max = opened;
    encoder.encode(&texts()[1], InputType::Document, &mut || {
        max = max.max(private_kilobytes().unwrap_or(0));
    })?;
    println!("| {} | {open:.1} | {opened} | {max} |", encoder.variant());
    Ok(())
}

/// Memory that only this process has written to.
fn private_kilobytes() -> Result<u64> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let line =
        rollup.lines().find_map(|line| line.strip_prefix("Private_Dirty:")).ok_or("no Private_Dirty")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
