//! PDF files made here whose fonts name no letters.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

mod samples;

use kb_rag_core::extract_protocol::Failure;
use kb_rag_extract::{File, Text, pdf};
use samples::pdf::{Pdf, line};

/// A file whose font P maps each byte to a character for private use.
fn file(pages: &[String]) -> Vec<u8> {
    let mut pdf = Pdf::new(&[]);
    let map = pdf.stream(
        "",
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /P def /CMapType 2 def \
          1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <E120> endbfrange endcmap end end",
    );
    let font = pdf.add(&format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode {map} 0 R >>"
    ));
    for page in pages {
        let content = pdf.stream("", page.as_bytes());
        pdf.page(&format!("/Contents {content} 0 R /Resources << /Font << /F1 3 0 R /P {font} 0 R >> >>"));
    }
    pdf.bytes()
}

fn read(pages: &[String]) -> Result<Text, Failure> {
    pdf::extract(&File { bytes: &file(pages), ..File::default() })
}

fn private(y: f32, text: &str) -> String {
    line("P", 10.0, 50.0, y, text)
}

fn plain(y: f32, text: &str) -> String {
    line("F1", 10.0, 50.0, y, text)
}

#[test]
fn pages_of_private_characters_fail() {
    let title = plain(750.0, "A title");
    let pages = [
        plain(700.0, "a page that can be read"),
        private(700.0, "nobody can read this"),
        title + &private(700.0, "nobody can read these words either"),
        // A bullet before each item.
        private(700.0, "l") + &line("F1", 10.0, 62.0, 700.0, "an item of a list"),
    ];
    let text = read(&pages).unwrap();
    let contents: Vec<&str> = text.pages.iter().map(|page| page.content.as_str()).collect();
    assert_eq!(contents, ["a page that can be read", "", "", "\u{E16C} an item of a list"]);
    let errors: Vec<Option<&str>> = text.pages.iter().map(|page| page.error.as_deref()).collect();
    let error =
        "the fonts of the page map 20 of its 20 glyphs to characters for private use, which are no letters";
    assert_eq!((errors[0], errors[1], errors[3]), (None, Some(error), None));
    assert!(errors[2].unwrap().contains("34 of its 40 glyphs"), "{errors:?}");
}

#[test]
fn a_file_of_private_characters_fails() {
    let Err(Failure::Damaged(how)) = read(&[private(700.0, "nobody can read this"), String::new()]) else {
        panic!("it was read")
    };
    assert!(how.contains("name no letters"), "{how}");
}
