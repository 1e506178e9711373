//! Properties and outcomes on written texts: our samples always, the shared cases where they are at hand.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{SIZES, STRATEGIES, check, split};
use kb_rag_core::chunk::Strategy;
use serde_json::Value;

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    fs::read_to_string(path).unwrap()
}

/// The directory of the shared cases, or None (and a line that says so) where there is none.
fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("KB_RAG_SHARED").map_or(beside, PathBuf::from).join("chunking");
    if !root.is_dir() {
        eprintln!("SKIPPED: no {} (set KB_RAG_SHARED)", root.display());
        return None;
    }
    Some(root)
}

fn cases(root: &Path) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for name in ["langchain_cases.jsonl", "peer_cases.jsonl"] {
        for line in fs::read_to_string(root.join(name)).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let number = |name: &str| case["params"][name].as_u64().map(|n| n as usize);
            let input = case["input"].as_str().unwrap().to_owned();
            // Header splitters have no size; some cases ask for an overlap as large as the chunk.
            let size = number("chunk_size").unwrap_or(30);
            found.push((input, size, number("chunk_overlap").unwrap_or(0).min(size - 1)));
        }
    }
    found
}

#[test]
fn properties_on_samples() {
    for name in ["page.md", "prose.txt", "multilingual.txt"] {
        for strategy in STRATEGIES {
            for (size, overlap) in SIZES {
                check(&sample(name), size, overlap, strategy);
                check(&sample(name).replace('\n', "\r\n"), size, overlap, strategy);
            }
        }
    }
}

#[test]
fn properties_on_shared_cases() {
    let Some(root) = shared() else { return };
    for (input, size, overlap) in cases(&root) {
        for strategy in STRATEGIES {
            check(&input, size, overlap, strategy);
            for (size, overlap) in SIZES {
                check(&input, size, overlap, strategy);
            }
        }
    }
}

#[test]
fn properties_on_shared_documents() {
    let Some(root) = shared() else { return };
    for kind in ["code", "markdown", "multilingual", "text"] {
        for entry in fs::read_dir(root.join("docs").join(kind)).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            for (size, overlap) in [(7, 3), (100, 20), (256, 200), (1000, 200), (4000, 400)] {
                check(&text, size, overlap, Strategy::Markdown);
                check(&text, size, overlap, Strategy::Text);
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
fn no_chunk_adds_only_the_beginning_of_what_the_next_one_begins_with() {
    let found = passages("Row 1\nRow 22\nRow 333\nRow 4444", 14, 7, Strategy::Text);
    assert_eq!(found, ["Row 1\nRow 22", "Row 22\nRow 333", "Row 4444"]);
    // The same of sentences.
    let text = "It rains. The cat sleeps. The dog waits at the door. Nobody comes.";
    assert_eq!(
        passages(text, 30, 18, Strategy::Text),
        ["It rains. The cat sleeps.", "The dog waits at the door.", "the door. Nobody comes."]
    );
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
        assert!(!last.starts_with("## ") && !last.starts_with("### "), "stranded: {passage}");
        assert_eq!(passage.matches("```").count() % 2, 0, "divided fence: {passage}");
    }
    assert!(found.iter().any(|chunk| text[chunk.bytes.clone()].starts_with("## ")));
}

#[test]
fn front_matter_is_no_heading() {
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
    include_str!("../src/maxscore.rs"),
    include_str!("../../../dev/readme_sql.py"),
    include_str!("../../../dev/cluster"),
    include_str!("../../../sql/catalogue.sql"),
];

#[test]
fn functions_of_our_sources_stay_whole() {
    let mut functions = 0;
    for text in SOURCES {
        let found = check(text, 900, 0, Strategy::Code);
        for chunk in found.iter().skip(1) {
            let line = text[chunk.bytes.clone()].lines().next().unwrap();
            // An attribute or comment stays with the definition after it.
            let before = text[..chunk.bytes.start].trim_end().lines().last().unwrap().trim();
            let parted = before.starts_with("#[") || before.starts_with("///");
            assert!(!parted, "{before:?} is parted from {line:?}");
            assert!(!line.starts_with('}'), "{line:?} is parted from its block");
        }
        for (at, _) in text.match_indices("fn ") {
            // Up to the brace that closes it, at the same indentation.
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let indent = text[line..].len() - text[line..].trim_start().len();
            let close = format!("\n{}}}\n", " ".repeat(indent));
            let head = text[line..].lines().next().unwrap();
            let Some(length) = text[line..].find(&close).filter(|_| head.ends_with('{')) else { continue };
            let function = line + indent..line + length + close.trim_end().len();
            // With its comments it fits half a chunk.
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
fn definitions_take_their_comments_along() {
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
    // One that does not fit is divided between words.
    assert_eq!(
        passages("let a = 1;\nlet words = [\"alpha\", \"beta\"];", 20, 0, Strategy::Code),
        ["let a = 1;", "let words =", "[\"alpha\", \"beta\"];"]
    );
}

#[test]
fn prose_ends_between_words_at_most_rarely() {
    let between = |text: &str| {
        let found = split(text, 1000, 200, Strategy::Text);
        let middle = |chunk: &&kb_rag_core::chunk::Chunk| {
            let rest = &text[chunk.bytes.end..];
            let gap = &rest[..rest.len() - rest.trim_start().len()];
            let tail =
                text[chunk.bytes.clone()].trim_end_matches(['"', '\'', '”', '’', ')', ']', '_', '*', '」']);
            !rest.is_empty()
                && !gap.contains('\n')
                && !tail.ends_with(['.', '!', '?', '。', '！', '？', '؟', '।'])
        };
        (found.iter().filter(middle).count(), found.len())
    };
    let ours = sample("prose.txt").repeat(60);
    let (words, all) = between(&ours);
    assert!(all > 50 && words * 100 <= all * 3, "{words} of {all}");
    let Some(root) = shared() else { return };
    for name in ["room_with_a_view.txt", "romeo_and_juliet.txt"] {
        let (words, all) = between(&fs::read_to_string(root.join("docs/text").join(name)).unwrap());
        assert!(all > 100 && words * 100 <= all * 3, "{name}: {words} of {all}");
    }
}
