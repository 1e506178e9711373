//! The estimate of tokens against those that tiktoken counts. `token_samples/counts.tsv` has the counts of each paragraph of the samples,
//! with cl100k_base and o200k_base; `dev/tokens` compares them with the package.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use kb_rag_core::chunk::Tokenizer;
use kb_rag_core::provider::tokens::{Estimate, estimate_tokens};

struct Counted {
    name: String,
    text: String,
    cl100k: u64,
    o200k: u64,
}

fn samples() -> Result<Vec<Counted>, Box<dyn Error>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/token_samples");
    let counts = fs::read_to_string(folder.join("counts.tsv"))?;
    let mut samples = Vec::new();
    for line in counts.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, number, cl100k, o200k] = fields[..] else { return Err(line.into()) };
        let file = fs::read_to_string(folder.join(name))?;
        let text = file.trim_matches('\n').split("\n\n").nth(number.parse::<usize>()? - 1).ok_or(line)?;
        samples.push(Counted {
            name: format!("{name} {number}"),
            text: text.to_string(),
            cl100k: cl100k.parse()?,
            o200k: o200k.parse()?,
        });
    }
    assert!(samples.len() >= 40);
    Ok(samples)
}

/// With neither vocabulary more than a tenth too low, in no script; and not much above the one that needs more.
#[test]
fn estimates_are_at_most_a_tenth_too_low() -> Result<(), Box<dyn Error>> {
    let mut wrong = Vec::new();
    for sample in samples()? {
        let estimate = estimate_tokens(&sample.text);
        let most = sample.cl100k.max(sample.o200k);
        let ratio = estimate as f64 / most as f64;
        println!("{:28} {estimate:4} {:4} {:4}  {ratio:.2}", sample.name, sample.cl100k, sample.o200k);
        if !(0.9..=1.4).contains(&ratio) {
            wrong.push(format!("{} {ratio:.2}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

/// What the chunker asks of a tokenizer.
#[test]
fn parts_of_a_text_are_counted_alike() -> Result<(), Box<dyn Error>> {
    for sample in samples()? {
        let text = sample.text.as_str();
        let tokenizer = Estimate::of(text);
        for max in [1, 2, 7, 30, 1_000] {
            let end = tokenizer.prefix(text, max);
            assert!(end > 0 && text.is_char_boundary(end), "{} {max}", sample.name);
            let divisible = tokenizer.divisible_prefix(text, max);
            assert!(divisible > 0 && text.is_char_boundary(divisible), "{} {max}", sample.name);
            for end in [end, divisible] {
                let is_one_character = text[..end].chars().count() == 1;
                assert!(is_one_character || tokenizer.count(&text[..end]) <= max, "{} {max}", sample.name);
            }
            let start = tokenizer.suffix(text, max);
            assert!(tokenizer.count(&text[start..]) <= max, "{} {max}", sample.name);
        }
        assert!(tokenizer.count(text) <= tokenizer.max_tokens_for(text.len()), "{}", sample.name);
        let by_words: usize = text.split_whitespace().map(|word| tokenizer.count(word)).sum();
        assert!(tokenizer.count(text) <= by_words, "{}", sample.name);
        assert_eq!(tokenizer.count(" \n\t "), 0);
    }
    Ok(())
}
