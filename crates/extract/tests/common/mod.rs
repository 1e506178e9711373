//! Helpers of the tests over pages.
#![allow(dead_code, clippy::unwrap_used, clippy::missing_panics_doc)] // each test uses some, and fails if one does

use kb_rag_extract::{File, Text, extract};

/// Reads a file, which must succeed.
pub fn read(bytes: &[u8], filename: &str) -> Text {
    extract(&File { bytes, filename: Some(filename), ..File::default() }).unwrap()
}

/// The Markdown of a page.
pub fn markdown(html: &str) -> String {
    let text = read(html.as_bytes(), "page.html");
    assert!(text.properties.markdown && !text.properties.paged);
    assert_eq!(text.pages.len(), 1);
    // A page of which nothing is left says so.
    assert_eq!(text.pages[0].error.is_some(), text.pages[0].content.is_empty(), "{:?}", text.pages[0].error);
    text.pages.into_iter().next().unwrap().content
}

/// The words of a text, in lower case.
pub fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}
