//! Headers and footers of PDF files made here.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

mod samples;

use kb_rag_extract::{File, pdf};
use samples::pdf::{Content, Pdf, block, line};

/// The texts of pages, lines parted by "|".
fn pages(contents: &[String]) -> Vec<String> {
    let contents: Vec<Content> = contents.iter().map(|content| Content::plain(content)).collect();
    let bytes = Pdf::new(&contents).bytes();
    let text = pdf::extract(&File { bytes: &bytes, ..File::default() }).unwrap();
    let page =
        |page: kb_rag_core::extract_protocol::Page| page.content.replace("\n\n", "|").replace('\n', "|");
    text.pages.into_iter().map(page).collect()
}

/// The text of a page, which differs from that of others.
fn body(page: usize) -> String {
    let lines: Vec<String> =
        (0..8).map(|at| format!("Line {at} of the text on page {}", word(page))).collect();
    block(50.0, 720.0, &lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn word(page: usize) -> &'static str {
    ["one", "two", "three", "four", "five", "six", "seven", "eight"][page]
}

fn small(x: f32, y: f32, text: &str) -> String {
    line("F1", 8.0, x, y, text)
}

#[test]
fn headers_and_footers_stay_where_they_come_first() {
    let contents: Vec<String> = (0..5)
        .map(|page| {
            let header = small(50.0, 775.0, "ACME Pumps") + &small(450.0, 775.0, "Manual");
            let footer =
                small(50.0, 40.0, "Confidential") + &small(50.0, 30.0, &format!("Page {} of 5", page + 1));
            header + &body(page) + &footer
        })
        .collect();
    let pages = pages(&contents);
    assert!(pages[0].starts_with("ACME Pumps Manual|Line 0 of the text on page one|"), "{}", pages[0]);
    assert!(pages[0].ends_with("Line 7 of the text on page one|Confidential|Page 1 of 5"), "{}", pages[0]);
    for (page, text) in pages.iter().enumerate().skip(1) {
        assert!(text.starts_with("Line 0 of the text on page") && text.ends_with(word(page)), "{text}");
    }
}

#[test]
fn pages_on_the_left_and_on_the_right_differ() {
    let contents: Vec<String> = (0..8)
        .map(|page| {
            let header = match (page % 2, page / 4) {
                (0, 0) => "Chapter 1 Assembly",
                (0, _) => "Chapter 2 Operation",
                _ => "ACME Manual",
            };
            small(50.0, 775.0, header) + &body(page) + &small(300.0, 30.0, &format!("{}", page + 1))
        })
        .collect();
    let pages = pages(&contents);
    let with = |text: &str| pages.iter().filter(|page| page.contains(text)).count();
    // Each chapter is named where it begins.
    assert_eq!((with("ACME Manual"), with("Chapter 1 Assembly"), with("Chapter 2 Operation")), (1, 2, 2));
    // A page number alone stays.
    assert!(pages.iter().zip(1..).all(|(page, number)| page.ends_with(&format!("|{number}"))));
}

#[test]
fn what_is_no_header_stays() {
    let all = |make: &dyn Fn(usize) -> String, count: usize, text: &str| {
        let pages = pages(&(0..count).map(make).collect::<Vec<_>>());
        pages.iter().filter(|page| page.contains(text)).count()
    };
    // Two pages are too few.
    let header = |page: usize| small(50.0, 775.0, "ACME Manual") + &body(page);
    assert_eq!((all(&header, 2, "ACME"), all(&header, 3, "ACME")), (2, 1));
    // The head of a table that goes on.
    let rows = |page: usize| {
        let rows: Vec<String> = (0..20).map(|row| format!("{row} {} row", word(page))).collect();
        let rows: Vec<&str> =
            std::iter::once("Code Problem Remedy").chain(rows.iter().map(String::as_str)).collect();
        block(50.0, 775.0, &rows)
    };
    assert_eq!(all(&rows, 5, "Code Problem Remedy"), 5);
    // The title of slides is larger than their text.
    let slide = |page: usize| line("F1", 24.0, 50.0, 750.0, "Results") + &body(page);
    assert_eq!(all(&slide, 5, "Results"), 5);
    // A line on some of the pages, and one that every page has in its text.
    let some = |page: usize| if page < 2 { header(page) } else { body(page) };
    assert_eq!(all(&some, 5, "ACME"), 2);
    let within = |page: usize| {
        body(page)
            + &block(50.0, 500.0, &["The same sentence on every page."])
            + &block(50.0, 400.0, &["End"])
    };
    assert_eq!(all(&within, 5, "The same sentence"), 5);
    // Nothing but what repeats.
    let only = |_: usize| small(50.0, 775.0, "ACME Manual");
    assert_eq!(all(&only, 5, "ACME"), 5);
}
