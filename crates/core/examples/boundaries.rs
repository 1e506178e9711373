//! Shows how the chunks of given files end: `cargo run --example boundaries -- [--markdown] FILE...`
//! (1000/200).
//! Watch the share of chunks that end between words rather than at the end of a sentence, line or paragraph.

use std::process::ExitCode;

use kb_rag_core::chunk::{Settings, Strategy, chunks};

fn main() -> ExitCode {
    let mut strategy = Strategy::Text;
    for argument in std::env::args().skip(1) {
        if argument == "--markdown" {
            strategy = Strategy::Markdown;
            continue;
        }
        let (Ok(text), Ok(settings)) =
            (std::fs::read_to_string(&argument), Settings::new(1000, 200, strategy))
        else {
            eprintln!("cannot read {argument}");
            return ExitCode::FAILURE;
        };
        report(&argument, &text, &settings);
    }
    ExitCode::SUCCESS
}

fn report(name: &str, text: &str, settings: &Settings) {
    let (mut paragraph, mut sentence, mut line, mut word, mut middle, mut inside) = (0, 0, 0, 0, 0, 0);
    let (mut shared, mut length, mut start, mut before) = (0, 0, 0, 0);
    for chunk in chunks(text, settings) {
        let rest = &text[chunk.bytes.end..];
        let gap = &rest[..rest.len() - rest.trim_start().len()];
        let tail = text[chunk.bytes.clone()].trim_end_matches(['"', '\'', '”', '’', ')', ']', '_', '*']);
        if rest.is_empty() || gap.matches('\n').count() > 1 {
            paragraph += 1;
        } else if tail.ends_with(['.', '!', '?', '。', '！', '？', '؟', '।']) {
            sentence += 1;
        } else if gap.contains('\n') {
            line += 1;
        } else if !gap.is_empty() {
            word += 1;
        } else {
            inside += 1;
        }
        // In hard-wrapped prose, a line end may still be in the middle of a sentence.
        middle += usize::from(
            gap.matches('\n').count() == 1 && tail.ends_with(|c: char| c.is_alphanumeric() || c == ','),
        );
        shared += before.max(chunk.chars.start) - chunk.chars.start;
        start += usize::from(chunk.chars.start < before);
        before = chunk.chars.end;
        length += chunk.chars.len();
    }
    let total = paragraph + sentence + line + word + inside;
    let percent = |part: usize| 100.0 * part as f64 / total.max(1) as f64;
    println!(
        "{name}: {total} chunks, {} characters and {} of overlap each",
        length / total.max(1),
        shared / start.max(1)
    );
    println!(
        "  ends: paragraph {:.1} %, sentence {:.1} %, line {:.1} % (mid-sentence {:.1} %), word {:.1} %, none {:.1} %",
        percent(paragraph),
        percent(sentence),
        percent(line),
        percent(middle),
        percent(word),
        percent(inside)
    );
}
