//! Properties and results on sample texts.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;

use std::fs;
use std::path::Path;

use common::{SIZES, STRATEGIES, between_words, check, split};
use kb_rag_core::chunk::Strategy;

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    fs::read_to_string(path).unwrap()
}

/// Short texts of kinds that chunkers got wrong, with a size and an overlap.
const SHORT: [(&str, usize, usize); 24] = [
    ("", 5, 0),
    (" \n\t\u{3000}\r\n", 5, 2),
    ("a", 1, 0),
    ("red  green", 3, 0),
    ("r g b", 2, 0),
    ("red green blue r r", 3, 1),
    ("r r red green blue", 3, 1),
    ("red\n\ngreen\n\n\n\nblue", 9, 4),
    ("  two spaces lead,  two part,  two end  ", 12, 5),
    ("No end in sight, only commas, and more commas, and then some", 18, 9),
    ("Wait... What?! (Really?) \"Yes.\" Oh. So.", 10, 3),
    ("Dr. A. B. Smith paid $3.50 at 5 p.m. on Jan. 2. Fine.", 20, 6),
    ("abcdefghijklmnopqrstuvwxyz", 7, 3),
    ("short, thenaverylongwordwithoutaspaceinsideit, short", 10, 4),
    ("one\ntwo\nthree\nfour\nfive\nsix", 9, 8),
    ("Row 1\nRow 22\nRow 333\nRow 4444", 14, 7),
    ("first\r\n\r\nsecond\rthird\u{2029}fourth\u{c}fifth", 8, 3),
    ("# A\n## B\n### C\ntext\n# D\n\n", 6, 2),
    ("# A\n\n# B\n\n# C", 30, 10),
    ("```\nfn a() {}\n\nfn b() {}\n```\nafter", 16, 4),
    ("|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|", 12, 6),
    ("def a():\n    return 1\n\n\ndef b():\n    return 2\n", 24, 8),
    ("\u{feff}# A\n\nText after a byte order mark.", 12, 0),
    ("e\u{301}e\u{301} 👍🏽👍🏽 🇩🇪🇫🇷 \u{200d}\u{200d} x", 3, 1),
];

#[test]
fn properties_on_samples() {
    for name in ["page.md", "nested.md", "prose.txt", "dialogue.txt", "multilingual.txt", "languages.txt"] {
        for strategy in STRATEGIES {
            for (size, overlap) in SIZES {
                check(&sample(name), size, overlap, strategy);
                check(&sample(name).replace('\n', "\r\n"), size, overlap, strategy);
            }
        }
    }
}

#[test]
fn properties_on_short_texts() {
    for (text, size, overlap) in SHORT {
        for strategy in STRATEGIES {
            check(text, size, overlap, strategy);
            for (size, overlap) in SIZES {
                check(text, size, overlap, strategy);
            }
        }
    }
}

fn passages(text: &str, size: usize, overlap: usize, strategy: Strategy) -> Vec<&str> {
    split(text, size, overlap, strategy).into_iter().map(|chunk| &text[chunk.bytes]).collect()
}

#[test]
fn words_are_shared_as_asked() {
    let found = passages("foo bar baz 123", 7, 3, Strategy::Text);
    assert_eq!(found, ["foo bar", "bar baz", "baz 123"]);
    assert_eq!(passages("1234567890", 4, 2, Strategy::Text), ["1234", "3456", "5678", "7890"]);
    let found = passages("Item 1\nItem 2\nItem 3", 14, 7, Strategy::Text);
    assert_eq!(found, ["Item 1\nItem 2", "Item 2\nItem 3"]);
}

#[test]
fn hard_wrapped_prose_is_cut_at_sentences() {
    let text =
        "It was late and the\nrain fell. Mr. Fox went\nhome at once. He slept\nuntil noon the next day.";
    assert_eq!(
        passages(text, 50, 0, Strategy::Text),
        [
            "It was late and the\nrain fell.",
            "Mr. Fox went\nhome at once.",
            "He slept\nuntil noon the next day."
        ]
    );
}

#[test]
fn chinese_is_cut_at_sentences() {
    let text = "春天来了。花儿开了！鸟儿在唱歌？孩子们去公园玩。";
    assert_eq!(
        passages(text, 12, 0, Strategy::Text),
        ["春天来了。花儿开了！", "鸟儿在唱歌？", "孩子们去公园玩。"]
    );
}

#[test]
fn headings_lead_their_sections() {
    let text = sample("page.md");
    let found = split(&text, 400, 80, Strategy::Markdown);
    let path = |needle: &str| {
        let chunk = found.iter().find(|chunk| text[chunk.bytes.clone()].contains(needle)).unwrap();
        chunk.heading.clone().unwrap_or_else(|| "-".into()).to_string()
    };
    assert_eq!(path("A weather station"), "Weather station");
    assert_eq!(path("systemctl enable"), "Weather station > Installation > On a Raspberry Pi");
    assert_eq!(path("not a heading"), "Weather station > Configuration of the station.toml file");
    for chunk in &found {
        let passage = &text[chunk.bytes.clone()];
        let last = passage.lines().last().unwrap();
        assert!(!last.starts_with("## ") && !last.starts_with("### "), "orphan heading: {passage}");
        assert_eq!(passage.matches("```").count() % 2, 0, "divided fence: {passage}");
    }
    assert!(found.iter().any(|chunk| text[chunk.bytes.clone()].starts_with("## ")));
}

#[test]
fn front_matter_is_not_a_heading() {
    let found = split("---\ntitle: x\n---\nText.\n\n# Real\n\nMore.", 24, 0, Strategy::Markdown);
    let paths: Vec<_> = found.iter().map(|chunk| chunk.heading.as_deref()).collect();
    assert_eq!(paths, [None, Some("Real")]);
}

#[test]
fn a_byte_order_mark_hides_no_heading() {
    let page = "# Title\n\nOne sentence of the text.\n\n## Part\n\nAnother sentence of it.";
    let setext = "Title\n===\n\nOne sentence of the text.\n\nPart\n---\n\nAnother sentence of it.";
    let matter = format!("---\na: b\n---\n{page}");
    for (text, size) in [(page, 40), (setext, 43), (&matter, 52)] {
        for text in [text.to_owned(), format!("\u{feff}{text}")] {
            let found = split(&text, size, 0, Strategy::Markdown);
            let paths: Vec<_> = found.iter().map(|chunk| chunk.heading.as_deref()).collect();
            let expected = if text.contains("a: b") { None } else { Some("Title") };
            assert_eq!(paths, [expected, Some("Title > Part")], "{text:?}");
        }
    }
}

#[test]
fn lone_giants_are_linear() {
    // Quadratic work on any of these would take minutes.
    let n = 300_000;
    for text in [
        " ".repeat(n),
        "\n".repeat(n),
        format!("a{}b", " ".repeat(n)),
        "x".repeat(n),
        format!("e{}", "\u{301}".repeat(n)),
        "[".repeat(n),
        "> ".repeat(n),
        "- ".repeat(n),
        "```\n".repeat(n / 4),
        ". ".repeat(n / 2),
        "。".repeat(n / 3),
        format!("# {}\n## b\n", "x".repeat(n)),
        "[a](".repeat(n / 4),
        "![[]()".repeat(n / 6),
        "*a_ ".repeat(n / 4),
        "<a ".repeat(n / 3),
        "<!-- <? ".repeat(n / 8),
        "a `b ``c ".repeat(n / 9),
        "[x]: y\n".repeat(n / 7),
        "a|b\n-|-\n1|2\n".repeat(n / 12),
        format!("{}\n{}", "|a".repeat(n / 4), "|-".repeat(n / 4)),
        format!("---\n{}", "a: b\n".repeat(n / 5)),
        "- a\n\n".repeat(n / 5),
        "// a\n".repeat(n / 5),
        "@a\n\n".repeat(n / 4),
        "fn f() {\n".repeat(n / 9),
        "\t".repeat(n) + "x\n",
        "{\n".repeat(n / 2),
        "f(".repeat(n / 2) + ")\n\n",
    ] {
        for strategy in STRATEGIES {
            let count = split(&text, 1000, 200, strategy).len();
            assert!(count <= text.len() / 200, "{count} chunks");
        }
    }
}

/// Sources of this repository: no line has more than 900 characters.
const SOURCES: [&str; 8] = [
    include_str!("../src/chunk/window.rs"),
    include_str!("../src/chunk/space.rs"),
    include_str!("../src/fusion.rs"),
    include_str!("../src/chunk/definition.rs"),
    include_str!("../src/informative.rs"),
    include_str!("../../../dev/readme_sql.py"),
    include_str!("../../../dev/cluster"),
    include_str!("../../../sql/catalog.sql"),
];

#[test]
fn functions_of_the_sources_stay_whole() {
    let mut functions = 0;
    for text in SOURCES {
        let found = check(text, 900, 0, Strategy::Code);
        for chunk in found.iter().skip(1) {
            let line = text[chunk.bytes.clone()].lines().next().unwrap();
            // An attribute or comment stays with the following definition.
            let before = text[..chunk.bytes.start].trim_end().lines().last().unwrap().trim();
            let parted = before.starts_with("#[") || before.starts_with("///");
            assert!(!parted, "{before:?} is separated from {line:?}");
            assert!(!line.starts_with('}'), "{line:?} is separated from its block");
        }
        for (at, _) in text.match_indices("fn ") {
            // Up to the closing brace at the same indentation.
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let indent = text[line..].len() - text[line..].trim_start().len();
            let close = format!("\n{}}}\n", " ".repeat(indent));
            let head = text[line..].lines().next().unwrap();
            let Some(length) = text[line..].find(&close).filter(|_| head.ends_with('{')) else { continue };
            let function = line + indent..line + length + close.trim_end().len();
            // Including its comments it fits into half a chunk.
            if length <= 350 {
                functions += 1;
                let whole = |c: &&kb_rag_core::chunk::Chunk| {
                    c.bytes.start <= function.start && function.end <= c.bytes.end
                };
                assert!(found.iter().any(|chunk| whole(&chunk)), "divided: {}", &text[function]);
            }
        }
    }
    assert!(functions > 15, "{functions}");
}

#[test]
fn definitions_keep_their_comments() {
    let text = "import os\n\n# Reads all\n# of it.\n@cached\ndef read(path):\n    with open(path) as file:\n        return file.read()\n\n\ndef write(path):\n    pass\n\n\nclass Store:\n    \"\"\"Keeps.\"\"\"\n\n    def get(self):\n        return 1\n";
    assert_eq!(
        passages(text, 110, 30, Strategy::Code),
        [
            "import os",
            "# Reads all\n# of it.\n@cached\ndef read(path):\n    with open(path) as file:\n        return file.read()",
            "def write(path):\n    pass\n\n\nclass Store:\n    \"\"\"Keeps.\"\"\"\n\n    def get(self):\n        return 1"
        ]
    );
}

#[test]
fn lines_of_a_program_are_not_divided() {
    let text = "SELECT 'one. Two. Three', 'and some more of it';\nSELECT 2;\nSELECT 'a line. That fits. Nothing', 'but itself';\n";
    let found = passages(text, 50, 10, Strategy::Code);
    assert_eq!(found, text.lines().collect::<Vec<_>>());
    // A line that does not fit is divided between words.
    assert_eq!(
        passages("let a = 1;\nlet words = [\"alpha\", \"beta\"];", 20, 0, Strategy::Code),
        ["let a = 1;", "let words =", "[\"alpha\", \"beta\"];"]
    );
}

#[test]
fn prose_rarely_ends_between_words() {
    let (words, all) = between_words(&sample("prose.txt").repeat(60));
    assert!(all > 50 && words * 100 <= all * 3, "{words} of {all}");
}
