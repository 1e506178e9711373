//! The pages in ../shared/html: pages with the content that readers found in them, and odd pages. They are not part of the
//! repository. dev/test runs these tests if the directory exists, and counts them as skipped otherwise.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{read, words};
use dom_query::Document;
use kb_rag_extract::Text;

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/html")
}

fn misc(name: &str) -> Text {
    read(&fs::read(shared().join("misc").join(name)).unwrap(), name)
}

/// The text of a page, with white space between blocks.
fn text(html: &str) -> String {
    let inline = ["a", "b", "i", "em", "strong", "span", "code", "sup", "sub", "font"];
    let mut text = String::new();
    for node in Document::from(html).root().descendants_it() {
        if node.is_text() {
            text.push_str(&node.text());
        } else if !inline.iter().any(|name| node.has_name(name)) {
            text.push(' ');
        }
    }
    text
}

/// The harmonic mean of precision and recall of the words of a text.
fn f1(expected: &str, found: &str) -> f64 {
    let mut counts: HashMap<_, i64> = HashMap::new();
    let (expected, found) = (words(expected), words(found));
    for word in &expected {
        *counts.entry(word).or_default() += 1;
    }
    let mut common = 0;
    for word in &found {
        if let Some(count) = counts.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (expected.len() + found.len()) as f64
}

#[test]
#[ignore = "needs ../shared/html"]
fn finds_the_main_content() {
    let mut sum = 0.0;
    let bars = [
        ("001", 0.99, "Get your Frontend JavaScript Code Covered | Code"),
        ("005-unescape-html-entities", 0.9, ""),
        ("base-url", 0.99, "Base URL test"),
        ("comment-inside-script-parsing", 0.99, "Test script parsing"),
        ("dropbox-blog", 0.99, "How we designed Dropbox’s ATF - an async task framework"),
        (
            "hidden-nodes",
            0.95,
            "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor invidunt",
        ),
        ("keep-tabular-data", 0.99, "Friday Facts #282 - 0.17 in sight | Factorio"),
        ("lwn-1", 0.97, "LWN.net Weekly Edition for March 26, 2015 [LWN.net]"),
        ("remove-script-tags", 0.99, "Remove script tags test"),
        ("rtl-1", 0.99, "RTL Test"),
        ("svg-parsing", 0.99, "SVG parsing"),
        ("v8-blog", 0.99, "standalone WebAssembly binaries using Emscripten · V8"),
    ];
    for (name, bar, title) in bars {
        let of = |file: &str| fs::read(shared().join("readability").join(name).join(file)).unwrap();
        let found = read(&of("source.html"), "source.html");
        let f1 = f1(&text(&String::from_utf8(of("expected.html")).unwrap()), &found.pages[0].content);
        assert!(f1 >= bar, "{name}: {f1}");
        let metadata = String::from_utf8(of("expected-metadata.json")).unwrap();
        assert!(metadata.contains(&format!("\"title\": {title:?}")), "{name}");
        let found_title = found.properties.title.unwrap_or_default();
        assert!(title.contains(&found_title) || found_title.contains(title), "{name}: {found_title}");
        assert!(title.is_empty() || !found_title.is_empty(), "{name}");
        if let Some((_, rest)) = metadata.split_once("\"lang\": \"") {
            assert_eq!(found.properties.language.as_deref(), rest.split('"').next(), "{name}");
        }
        sum += f1;
    }
    let mean = sum / bars.len() as f64;
    println!("mean F1 of words: {mean:.4}");
    assert!(mean >= 0.985, "{mean}");
}

#[test]
#[ignore = "needs ../shared/html"]
fn reads_odd_pages() {
    let content = |name: &str| misc(name).pages.remove(0).content;
    let text = content("fake-html-cp1252.html");
    for words in
        ["Die schöne Frau", "köstlich!\" und lächelte", "15,50 €", "L'été était très chaud", "¡Qué rico!"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(
        content("fake-html-lang-de.html"),
        "### Jahresabschluss zum Geschäftsjahr vom 01.01.2020 bis zum 31.12.2020"
    );
    let text = content("fake-html.html");
    for line in [
        "# My First Heading",
        "## My Second Heading",
        "- A test list",
        "  - And another",
        "- Back at the root",
        "| Column 1 | Column 2 |",
        "| --- | --- |",
        "| Row 2, Cell 1 | Row 2, Cell 2 |",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    let text = content("fake-html-with-footer-and-header.html");
    assert_eq!(text, "# My First Heading\n\nMy first paragraph.");
    let text = content("fake-html-with-base64-image.html");
    assert!(text.contains("Test page") && !text.contains("base64") && text.len() < 1000, "{text}");
    let text = content("fake-html-with-duplicate-elements.html");
    assert_eq!(text.matches("Example heading.").count(), 2);
    let page = misc("example-with-scripts.html");
    assert!(page.properties.title.is_some());
    for script in ["function(", "var ", "</", "document.", "{\"@context\""] {
        assert!(!page.pages[0].content.contains(script), "{script}");
    }
    let wide = misc("example-steelJIS-datasheet-utf-16.html");
    assert_eq!(wide.pages, misc("example-steelJIS-datasheet.html").pages);
    assert!(wide.pages[0].content.contains("| C | Si | Mn | P | S | Cr | Mo |"));
    let text = content("fake-html-pre.htm");
    assert!(text.contains("    (a) Short <<NOTE: 18 USC 1 note.>> Title.--This Act may be cited as \n"));
    assert!(text.len() > 400_000);
    let page = misc("ideas-page.html");
    assert_eq!(page.properties.title.as_deref(), Some("How to Get New Ideas"));
    assert!(page.pages[0].content.contains("The way to get new ideas is to notice anomalies"), "{page:?}");
    assert!(!page.pages[0].content.contains("refsd"));
    let text = content("eng_spa_mult.html");
    assert!(text.contains("Todos los seres humanos nacen libres e iguales en dignidad y derechos"));
    assert_eq!(content("umlauts-non-utf8.md"), content("umlauts-utf8.md"));
    assert!(content("simple-table.md").contains('|'));
}
