//! What the samples in ../shared/pdf must yield. They are not part of the repository. dev/test runs this test if the
//! directory exists, and counts it as skipped otherwise.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kb_rag_core::extract_protocol::Failure;
use kb_rag_extract::{File, Text, pdf};
use serde_json::Value;

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/pdf")
}

fn read(name: &str, password: Option<&str>) -> Result<Text, Failure> {
    let bytes = fs::read(shared().join(name)).unwrap();
    pdf::extract(&File { bytes: &bytes, password, ..File::default() })
}

fn words(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_owned()).or_default() += 1;
    }
    words
}

/// Precision and recall of the words of `text` against those of `expected`.
fn compare(text: &str, expected: &str) -> (f64, f64) {
    let (text, expected) = (words(text), words(expected));
    let sum = |words: &BTreeMap<String, usize>| words.values().sum::<usize>() as f64;
    let common =
        text.iter().map(|(word, n)| (*n).min(expected.get(word).copied().unwrap_or(0))).sum::<usize>() as f64;
    (common / sum(&text).max(1.0), common / sum(&expected).max(1.0))
}

/// The text of the pages, and what poppler makes of them.
fn both(name: &str, password: Option<&str>) -> (Text, String, String) {
    let text = read(name, password).unwrap();
    let all = text.pages.iter().map(|page| page.content.as_str()).collect::<Vec<_>>().join("\n");
    let expected = shared().join("text").join(format!("{}.txt", name.replace('/', "__")));
    (text, all, fs::read_to_string(expected).unwrap())
}

/// Asserts the number of pages, no error, and precision and recall of the words.
fn good(name: &str, password: Option<&str>, pages: usize, precision: f64, recall: f64) -> String {
    let (text, all, expected) = both(name, password);
    assert_eq!(text.pages.len(), pages, "{name}");
    for page in &text.pages {
        assert_eq!(page.error, None, "{name}");
    }
    // poppler sets the opening quotes of TeX, which the file maps to U+0300, apart or upon a letter before.
    let (p, r) = compare(&all.replace('`', ""), &expected.replace('\u{300}', ""));
    println!("{name}: precision {p:.4}, recall {r:.4}");
    assert!(p >= precision && r >= recall, "{name}: precision {p}, recall {r}");
    all
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn every_sample_is_listed() {
    const KNOWN: [&str; 18] = [
        "pypdf/r2-empty-password.pdf",
        "pypdf/r2-user-password.pdf",
        "pypdf/r4-owner-password.pdf",
        "pypdf/r5-empty-password.pdf",
        "pypdf/imagemagick-images.pdf",
        "sample-files/habibi.pdf",
        "pdfminer/aes-256-r6.pdf",
        "pdfminer/jo.pdf",
        "pdfminer/simple1.pdf",
        "pdfjs/helloworld-bad.pdf",
        "pdfjs/poppler-85140-0.pdf",
        "pdfjs/GHOSTSCRIPT-698804-1-fuzzed.pdf",
        "pdfjs/Pages-tree-refs.pdf",
        "pdfjs/noembed-sjis.pdf",
        "pdfjs/empty.pdf",
        "lopdf/example.pdf",
        "lopdf/unicode.pdf",
        "debian/debian-faq.en.pdf",
    ];
    let manifest = fs::read_to_string(shared().join("manifest.jsonl")).unwrap();
    for line in manifest.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let name = entry["file"].as_str().unwrap();
        assert!(KNOWN.contains(&name), "{name} has no expectations here");
    }
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn plain() {
    good("lopdf/example.pdf", None, 1, 1.0, 1.0);
    good("lopdf/unicode.pdf", None, 1, 1.0, 1.0);
    good("pdfminer/simple1.pdf", None, 1, 1.0, 1.0);
    good("pdfjs/noembed-sjis.pdf", None, 1, 1.0, 1.0);
    assert_eq!(read("lopdf/unicode.pdf", None).unwrap().properties.title, None, "untitled in Polish");
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn a_real_document() {
    let text = good("debian/debian-faq.en.pdf", None, 73, 0.99, 0.995);
    let read = read("debian/debian-faq.en.pdf", None).unwrap();
    assert_eq!(read.properties.title.as_deref(), Some("The Debian GNU/Linux FAQ"));
    assert!(read.properties.paged && !read.properties.markdown);
    // Entries of the contents keep their page; a paragraph ends where the gap says so; words are whole.
    assert!(text.contains(
        "\n\n2 Getting and installing Debian GNU/Linux 5\n2.1 What is the latest version of Debian? ."
    ));
    assert!(
        text.contains(
            "are preserved on all copies.\n\nPermission is granted to copy and distribute modified"
        )
    );
    assert!(!text.contains('\u{FB01}') && !text.contains('\u{300}'));
    let divided = text.lines().filter(|line| line.ends_with('-')).count();
    assert!(divided <= 10, "{divided} lines end in a hyphen");
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn encrypted() {
    for name in ["pypdf/r2-empty-password.pdf", "pypdf/r4-owner-password.pdf", "pypdf/r5-empty-password.pdf"]
    {
        good(name, None, 1, 1.0, 1.0);
        good(name, Some("any"), 1, 1.0, 1.0);
    }
    for (name, password) in
        [("pypdf/r2-user-password.pdf", "asdfzxcv"), ("pdfminer/aes-256-r6.pdf", "usersecret")]
    {
        good(name, Some(password), 1, 1.0, 1.0);
        assert_eq!(read(name, None), Err(Failure::PasswordNeeded));
        assert_eq!(read(name, Some("")), Err(Failure::PasswordNeeded));
        assert_eq!(read(name, Some("wrong")), Err(Failure::PasswordWrong));
    }
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn without_text() {
    assert_eq!(read("pypdf/imagemagick-images.pdf", None), Err(Failure::NoText { pages: 6 }));
    for blank in ["pdfjs/empty.pdf", "pdfjs/GHOSTSCRIPT-698804-1-fuzzed.pdf"] {
        assert_eq!(good(blank, None, 1, 0.0, 0.0), "", "{blank}");
    }
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn broken() {
    assert!(matches!(read("pdfjs/poppler-85140-0.pdf", None), Err(Failure::Damaged(_))));
    good("pdfjs/helloworld-bad.pdf", None, 1, 1.0, 1.0);
    // poppler counts the loop as a second page, without text.
    good("pdfjs/Pages-tree-refs.pdf", None, 1, 1.0, 1.0);
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn right_to_left() {
    // The file says of the first glyph of "habibi" that it is the Arabic word and "h", and of six Arabic glyphs nothing that
    // the parser understands. poppler prints the Arabic word twice, its letters in reverse order.
    let (text, all, _) = both("sample-files/habibi.pdf", None);
    assert_eq!(all, "\u{62D}\u{64E}\u{628}\u{64A}\u{628}\u{64A} habibi");
    assert!(text.pages[0].error.as_deref().unwrap().contains("do not say which characters"));
}

#[test]
#[ignore = "needs ../shared/pdf"]
fn vertical() {
    let (text, all, expected) = both("pdfminer/jo.pdf", None);
    assert_eq!((text.pages.len(), &text.pages[0].error), (1, &None));
    // The poem's lines are one above the other on two halves of the page: the upper half comes first.
    let verses = [
        "わたくしといふ現象は",
        "假定された有機交流電燈の",
        "ひとつの青い照明です",
        "（あらゆる透明な幽霊の複合体）",
    ];
    assert!(all.contains(&verses.join("\n")), "{all}");
    let expected = expected.replace('︵', "（").replace('︶', "）").replace('︑', "、");
    let (p, r) = compare(&all, &expected);
    println!("jo.pdf: precision {p:.4}, recall {r:.4}");
    assert!(p >= 0.95 && r >= 0.95, "precision {p}, recall {r}");
}
