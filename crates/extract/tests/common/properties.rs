//! What holds for each page.

use dom_query::Document;
use kb_rag_extract::{File, extract, text};

/// The text outside of scripts and styles, as the parser alone finds it.
fn shown(page: &[u8]) -> String {
    let document = Document::from(&*text::decode(page, None));
    document.select("script, style, noscript, template, textarea, iframe, title").remove();
    document.root().text().to_string()
}

/// Reads a page and asserts what holds for each. Returns the length of the text.
pub fn check(page: &[u8]) -> usize {
    let file = File { bytes: page, mime_type: Some("text/html"), ..File::default() };
    let Ok(text) = extract(&file) else {
        // Not a page, but a binary file.
        return 0;
    };
    assert_eq!(text.pages.len(), 1);
    let content = &text.pages[0].content;
    assert!(text.properties.markdown && !text.properties.paged);
    let title = text.properties.title.as_deref().unwrap_or_default();
    for text in [content, title] {
        assert!(!text.contains(['\0', '\u{c}', '\r']));
    }
    // Whether tags in `noscript`, or in the `style` of a formula or a picture, are tags depends on the reader; here they are not.
    let lower = page.to_ascii_lowercase();
    let has = |part: &[u8]| lower.windows(part.len()).any(|found| found == part);
    let disputed = has(b"noscript") || (has(b"<style") && (has(b"<math") || has(b"<svg")));
    let secret = |text: &str| text.contains("SECRET");
    assert!(
        !secret(content) || disputed || secret(&shown(page)),
        "what a script or a style holds is no text"
    );
    assert!(title.chars().count() <= 500 && !title.contains('\n'));
    assert!(content.trim() == content || content.starts_with(' '));
    // Data in a page may hold its text once more, each line a paragraph; markers of lists are before each line.
    assert!(content.len() <= 20 * page.len() + 1000, "{} bytes from {}", content.len(), page.len());
    content.len()
}

/// The content of a page; nothing for what is none.
#[allow(dead_code)] // one of the programs that use this file does
pub fn content(page: &[u8]) -> String {
    let file = File { bytes: page, mime_type: Some("text/html"), ..File::default() };
    extract(&file)
        .map_or_else(|_| String::new(), |text| text.pages.into_iter().map(|page| page.content).collect())
}
