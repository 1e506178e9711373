//! `reference MODEL_DIRECTORY` reads texts from standard input, each a line with a JSON string, and writes for each a line
//! with the ids of its tokens and its vector as a document, to compare them with those of other programs.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use kb_rag_encoder::{Encoder, InputType};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory =
        PathBuf::from(std::env::args_os().nth(1).ok_or("usage: reference MODEL_DIRECTORY [tokens]")?);
    let only_tokens = std::env::args().nth(2).is_some_and(|argument| argument == "tokens");
    let encoder = Encoder::open(&directory)?;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let tokens = encoder.tokens(&text, InputType::Document);
        let vector =
            if only_tokens { Vec::new() } else { encoder.encode(&text, InputType::Document, &mut || {})? };
        writeln!(output, "{}", serde_json::json!([tokens, vector]))?;
    }
    Ok(())
}
