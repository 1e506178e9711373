//! Speed of chunking at 1000/200 on texts of several shapes and lengths. The rate (MiB/s) for a shape must
//! not fall as the text grows.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kb_rag_core::chunk::{Settings, Strategy, chunks};

const PAGE: &str = include_str!("../tests/samples/page.md");
const PROSE: &str = include_str!("../tests/samples/prose.txt");
const PROGRAM: &str = include_str!("../src/segment/search/window.rs");
const MULTILINGUAL: &str = include_str!("../tests/samples/multilingual.txt");

/// Repeats `unit` to about `bytes` bytes.
fn filled(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes.div_ceil(unit.len()))
}

/// Headings and list items at the deepest nesting allowed, then blank lines that continue all of them.
fn nested_list(bytes: usize) -> String {
    let item = |depth: usize| "  ".repeat(depth) + "- item\n";
    let nest: String = (0..90).map(item).collect::<String>() + &"\n".repeat(500);
    filled(&nest, bytes)
}

fn shapes(bytes: usize) -> Vec<(&'static str, Strategy, String)> {
    use Strategy::{Code, Markdown, Text};
    vec![
        ("prose", Text, filled(PROSE, bytes)),
        ("multilingual", Text, filled(MULTILINGUAL, bytes)),
        ("ideographs", Text, filled("天地玄黄宇宙洪荒", bytes)),
        ("one_word", Text, filled("x", bytes)),
        ("newlines", Text, filled("\n", bytes)),
        ("spaces", Text, filled("a", 1) + &filled(" ", bytes) + "b"),
        ("marks", Text, filled("e", 1) + &filled("\u{301}", bytes)),
        ("punctuation", Text, filled(". ", bytes)),
        ("page", Markdown, filled(PAGE, bytes)),
        ("prose_as_markdown", Markdown, filled(PROSE, bytes)),
        ("fences", Markdown, filled("```\n", bytes)),
        ("brackets", Markdown, filled("[", bytes)),
        ("quotes", Markdown, filled("> ", bytes)),
        ("quoted_lines", Markdown, filled(&("> ".repeat(99) + "a\n"), bytes)),
        ("nested_list", Markdown, nested_list(bytes)),
        ("headings", Markdown, filled("# a *b*\n", bytes)),
        ("program", Code, filled(PROGRAM, bytes)),
        ("prose_as_code", Code, filled(PROSE, bytes)),
        ("comments", Code, filled("// a\n", bytes)),
        ("one_line", Code, filled("x = 1; ", bytes)),
    ]
}

fn chunking(c: &mut Criterion) {
    for megabytes in [1, 2, 4, 8] {
        for (name, strategy, text) in shapes(megabytes << 20) {
            let Ok(settings) = Settings::new(1000, 200, strategy) else {
                continue;
            };
            let mut group = c.benchmark_group(name);
            group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(megabytes), &text, |b, text| {
                b.iter(|| chunks(text, &settings).map(|chunk| chunk.chars.end).max());
            });
        }
    }
}

criterion_group!(benches, chunking);
criterion_main!(benches);
