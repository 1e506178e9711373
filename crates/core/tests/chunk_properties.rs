//! Properties of chunking over generated texts.

mod common;

use std::cell::Cell;

use common::{STRATEGIES, check, check_within, split};
use kb_rag_core::chunk::{Chunker, Settings, SettingsError, Strategy, TokenWindow};
use proptest::prelude::*;

/// Pieces that provoke errors: clusters, scripts without spaces, long words, runs of white space, markup.
const PIECES: [&str; 64] = [
    "a",
    "word",
    "The",
    "I",
    "Mr. ",
    "e.g. ",
    "3.14",
    "don't",
    "x",
    " ",
    " ",
    " ",
    "  ",
    "\n",
    "\n",
    "\r\n",
    "\n\n",
    "\r\n\r\n",
    "\t",
    "\u{a0}",
    "\u{2003}",
    "\u{3000}",
    "\u{2028}",
    "\u{2029}",
    "\u{c}",
    "\u{85}",
    ". ",
    ".",
    "! ",
    "?",
    ": ",
    "…",
    "”",
    "’",
    "。",
    "！」",
    "、",
    "漢字",
    "かな",
    "カタカナ",
    "ไทย",
    "น้ำ",
    "العربية؟ ",
    "हिन्दी। ",
    "क्षि",
    "e\u{301}\u{323}",
    "\u{301}",
    " \u{301}",
    "\u{200d}",
    "👨\u{200d}👩\u{200d}👧",
    "🇩🇪🇫🇷",
    "👍🏽",
    "\u{1100}\u{1161}\u{11a8}",
    "\u{600}",
    "\u{ad}",
    "\u{feff}",
    "https://example.com/a?b=c.d",
    "supercalifragilisticexpialidocious",
    "0",
    "\u{0}",
    "a\u{5d0}.\u{5d0}",
    "\u{2024}a",
    "1։2",
    "\u{e33}",
];

const BLOCKS: [&str; 26] = [
    "# ",
    "## Sub *title*\n",
    "### `code` [link](x)\n\n",
    "\nSetext\n===\n",
    "\n```\n",
    "\n~~~rust\nfn f() {}\n\nlet x;\n~~~\n",
    "\n```sh\nls -l\n```\n",
    "- item\n",
    "  - deeper\n",
    "1. one\n",
    "> quoted\n",
    "> # quoted title\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "\n\n",
    "\n",
    "---\n",
    "***\n",
    "    indented code\n",
    "<div>\n",
    "</div>\n\n",
    "[",
    "](",
    "**",
    "`",
    "\\",
    "\t- ",
];

fn prose() -> impl Strategy_<Value = String> {
    prop_oneof![
        8 => prop::collection::vec(prop::sample::select(&PIECES[..]), 0..80).prop_map(|p| p.concat()),
        1 => any::<String>(),
        1 => ("\\PC{0,5}", 0..300_usize, "\\PC{0,5}").prop_map(|(a, n, b)| a + &" ".repeat(n) + &b),
        1 => ("\\PC{0,5}", 0..300_usize, "\\PC{0,5}").prop_map(|(a, n, b)| a + &"\u{301}".repeat(n) + &b),
        1 => ("\\PC{0,5}", 0..300_usize, "\\PC{0,5}").prop_map(|(a, n, b)| a + &"w".repeat(n) + &b),
    ]
}
use proptest::strategy::Strategy as Strategy_;

fn page() -> impl Strategy_<Value = String> {
    let piece = prop_oneof![prop::sample::select(&BLOCKS[..]), prop::sample::select(&PIECES[..])];
    prop::collection::vec(piece, 0..80).prop_map(|p| p.concat())
}

/// Lines of many languages.
const LINES: [&str; 34] = [
    "fn main() {\n",
    "    let x = 1;\n",
    "}\n",
    "\n",
    "\n\n",
    "// a comment\n",
    "/// About it.\n",
    "#[test]\n",
    "@decorated\n",
    "def f(x):\n",
    "    return x\n",
    "class A:\n",
    "    def g(self):\n",
    "\tfoo(bar);\r\n",
    "# comment\n",
    "-- comment\n",
    "CREATE TABLE t (\n",
    ");\n",
    "int main(void)\n{\n",
    "/*\n * block\n */\n",
    "end\n",
    "  ",
    "x",
    "  {\"key\": [1, 2]},\n",
    "漢字のコメント。次の文。\n",
    "let s = \"a very long literal without an end in sight, and. More. Of it\";\n",
    "#",
    "//",
    "}",
    "\u{2028}",
    "\u{85}",
    "\r",
    "\u{c}",
    " \u{301}\n",
];

fn code() -> impl Strategy_<Value = String> {
    let piece = prop_oneof![8 => prop::sample::select(&LINES[..]), 1 => prop::sample::select(&PIECES[..])];
    prop::collection::vec(piece, 0..60).prop_map(|p| p.concat())
}

fn any_text() -> impl Strategy_<Value = String> {
    let costly =
        prop::collection::vec(prop::sample::select(vec!["한", "한한한한한한한한", "a한 ", " "]), 0..40);
    prop_oneof![4 => prose(), 2 => page(), 2 => code(), 1 => costly.prop_map(|p| p.concat())]
}

fn sizes() -> impl Strategy_<Value = (usize, usize)> {
    (1..200_usize).prop_flat_map(|size| (Just(size), prop_oneof![Just(0), 0..size, Just(size - 1)]))
}

/// How many texts to try. `PROPTEST_CASES` sets another number, `PROPTEST_RNG_SEED` another seed.
fn generated() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { cases: asked.cases.max(1500), failure_persistence: None, ..asked }
}

proptest! {
    #![proptest_config(generated())]

    #[test]
    fn text(text in prose(), (size, overlap) in sizes()) {
        check(&text, size, overlap, Strategy::Text);
        check(&text, size, overlap, Strategy::None);
    }

    #[test]
    fn code_lines(text in code(), (size, overlap) in sizes()) {
        check(&text, size, overlap, Strategy::Code);
    }

    #[test]
    fn code_of_anything(text in any_text(), (size, overlap) in sizes()) {
        check(&text, size, overlap, Strategy::Code);
    }

    #[test]
    fn semantic(text in any_text(), (size, overlap) in sizes()) {
        check(&text, size, overlap, Strategy::Semantic);
    }

    #[test]
    fn within_tokens(
        text in any_text(),
        sizes in sizes(),
        budget in 1..60_usize,
        strategy in prop::sample::select(&STRATEGIES[..4]),
    ) {
        check_within(&text, sizes, strategy, budget, None);
    }

    #[test]
    fn in_tokens(
        text in any_text(),
        (size, overlap) in (1..60_usize).prop_flat_map(|size| (Just(size), 0..size)),
        budget in 1..60_usize,
        strategy in prop::sample::select(&STRATEGIES[..4]),
    ) {
        let window = Some(TokenWindow { size, overlap });
        check_within(&text, (size * 30, overlap * 30), strategy, budget, window);
    }

    #[test]
    fn markdown(text in page(), (size, overlap) in sizes()) {
        check(&text, size, overlap, Strategy::Markdown);
    }

    #[test]
    fn markdown_of_prose(text in prose(), (size, overlap) in sizes()) {
        check(&text, size, overlap, Strategy::Markdown);
    }
}

/// A block of a page, and whether it must stay in one piece.
fn block() -> impl Strategy_<Value = (String, bool)> {
    let line = "[a-z]{1,12}( [a-z]{1,12}){0,4}\\.?";
    let code = prop::collection::vec(prop_oneof![3 => line, 1 => Just(String::new())], 0..6);
    prop_oneof![
        prop::collection::vec(line, 1..6).prop_map(|lines| (lines.join("\n"), false)),
        (1..4_usize, line).prop_map(|(level, title)| ("#".repeat(level) + " " + &title, false)),
        (prop::sample::select(vec!["```", "~~~~"]), code)
            .prop_map(|(fence, lines)| (format!("{fence}rs\n{}\n{fence}", lines.join("\n")), true)),
        ("[a-z]{1,30}", "[a-z. ]{0,30}")
            .prop_map(|(a, b)| (format!("| head | two |\n|---|---|\n| {a} | {b}x |"), false)),
    ]
}

proptest! {
    #![proptest_config(generated())]

    #[test]
    fn fences_and_rows_stay_whole(blocks in prop::collection::vec(block(), 0..20), (size, overlap) in sizes()) {
        let (mut text, mut whole) = (String::new(), Vec::new());
        for (block, fence) in &blocks {
            if *fence {
                whole.push(text.len()..text.len() + block.len());
            } else if let Some(row) = block.strip_prefix("| head | two |\n|---|---|\n") {
                let start = text.len() + block.len() - row.len();
                whole.push(start..start + row.len());
            }
            text += block;
            text += "\n\n";
        }
        let found = check(&text, size, overlap, Strategy::Markdown);
        for piece in whole.into_iter().filter(|piece| text[piece.clone()].chars().count() <= size) {
            let inside = |at: usize| piece.start < at && at < piece.end;
            for chunk in &found {
                prop_assert!(!inside(chunk.bytes.start) && !inside(chunk.bytes.end), "{:?} {:?} {:?}", &text[piece], chunk, text);
            }
            prop_assert!(found.iter().any(|c| c.bytes.start <= piece.start && piece.end <= c.bytes.end));
        }
    }
}

/// Found by a search of many more cases: white space between prepended and other marks is content.
#[test]
fn marks_around_white_space_are_not_divided() {
    let found = check("word\u{600} \u{301} next", 5, 3, Strategy::Text);
    assert_eq!(found[0].bytes, 0..4);
    assert_eq!(found[1].bytes, 2..9);
}

/// Found in the same way: a space is divided from its marks, which have more tokens than a chunk, after a
/// shared full stop.
#[test]
fn space_divided_from_its_marks_is_not_a_chunk() {
    let text = "xMr. . \u{301}\u{e33}\u{627}\u{644}\u{639}\u{631}\u{628}\u{64a}\u{629}\u{61f} ";
    check_within(text, (90, 30), Strategy::Text, 3, Some(TokenWindow { size: 3, overlap: 1 }));
}

/// The text of a document of pages: each ends with U+000C.
#[test]
fn pages_are_not_mixed() {
    let text = "One. Two.\n\u{c}Three. Four.\u{c}\u{c}```\nfive\n\u{c}six\n```\nseven\u{c}";
    let expected = ["One. Two.", "Three. Four.", "```\nfive", "six\n```\nseven"];
    for strategy in STRATEGIES {
        let found = check(text, 100, 50, strategy);
        let passages: Vec<_> = found.iter().map(|chunk| &text[chunk.bytes.clone()]).collect();
        match strategy {
            Strategy::None => assert_eq!(passages, [text.trim_end()]),
            _ => assert_eq!(passages, expected, "{strategy:?}"),
        }
        assert!(strategy == Strategy::None || check(text, 10, 4, strategy).len() > 4);
    }
    // The last page, which no page end follows, is one chunk too if it fits, whatever its topics.
    let long = "}\nlet s = \"a very long literal without an end in sight, and. More. Of it\";\nclass A:\nclass A:\n\u{c}let s = \"a very long \
        literal without an end in sight, and. More. Of it\";\n  {\"key\": [1, 2]},\nMr. worddef f(x):\n#[test]\n    let x = 1;\n}}\n}\n  );\n    \
        def g(self):\n    let x = 1;\n);\n";
    check(long, 179, 0, Strategy::Semantic);
    // A heading of an earlier page is in force.
    let found = check("# One\n\nBegin.\n\u{c}\nMore words.\n", 100, 10, Strategy::Markdown);
    assert_eq!(found[1].heading.as_deref(), Some("One"));
}

#[test]
fn whole_text_without_strategy() {
    assert!(split(" \n ", 10, 0, Strategy::None).is_empty());
    let found = split(" \n# one two\n\nthree\n", 3, 1, Strategy::None);
    assert_eq!((found.len(), found[0].bytes.clone(), found[0].heading.clone()), (1, 2..18, None));
}

#[test]
fn settings_are_checked() {
    assert_eq!(Settings::new(0, 0, Strategy::Text), Err(SettingsError::Size));
    assert_eq!(Settings::new(5, 5, Strategy::Text), Err(SettingsError::Overlap { size: 5, overlap: 5 }));
    assert!(split("some words. more", usize::MAX, usize::MAX - 1, Strategy::Markdown).len() == 1);
    for strategy in Strategy::ALL {
        assert_eq!(Strategy::from_name(strategy.name()), Some(strategy));
    }
    assert_eq!(Strategy::from_name("Text"), None);
}

thread_local! {
    static CHECKS: Cell<usize> = const { Cell::new(0) };
}

/// Texts without a place to cut, and pages of markup alone.
#[test]
fn checks_for_interrupts_however_long_a_chunk_takes() {
    for piece in [". ", "\u{202e}a ", "a\u{202f}", "[a](b\n", "# a\n", "- ", "|a|\n"] {
        let text = piece.repeat(1_000_000 / piece.len());
        for strategy in [Strategy::Text, Strategy::Markdown] {
            let settings = Settings::new(100_000, 0, strategy).unwrap();
            CHECKS.set(0);
            let chunker = Chunker::new(&text, &settings).checking_interrupts(|| CHECKS.set(CHECKS.get() + 1));
            assert!(chunker.chunks().count() > 0);
            assert!(CHECKS.get() > 10, "{piece:?} {strategy:?}: {} checks", CHECKS.get());
        }
    }
}
