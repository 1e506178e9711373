//! HTML pages.
//!
//! A page is decoded, bounded ([`tidy`]) and parsed once, into a [`Page`]. What is asked of it is read from that: title,
//! language, what it says to a crawler ([`links`]), and its text as Markdown. For the text, hidden elements are removed ([`clean`]), the main content is found
//! ([`content`]) and written ([`markdown`]).

mod align;
pub(crate) mod charset;
mod clean;
mod content;
mod language;
mod links;
mod markdown;
mod page;
mod tidy;

use kb_rag_core::extract_protocol::{self, Failure, Properties};

pub(crate) use self::language::language_tag;
pub use self::page::Page;
use crate::{File, Text, text};

/// The main content of a page, as Markdown: headings, lists, tables and code keep their form. Of links, only the text is
/// kept, since addresses are no text to search or embed; images are left out, and so is emphasis.
///
/// # Errors
/// None: each text can be read as a page. One without any text has one page with empty content.
pub fn extract(file: &File) -> Result<Text, Failure> {
    Ok(read(file, None))
}

/// As [`extract`], with [`Properties::web`] of a page that was fetched from `url`. The text of a page that wants not to be found
/// (`noindex`) is empty.
///
/// # Errors
/// None.
pub fn extract_page(file: &File, url: &str) -> Result<Text, Failure> {
    Ok(read(file, Some(url)))
}

fn read(file: &File, url: Option<&str>) -> Text {
    let page = Page::parse(&decode(file));
    let web = url.map(|url| page.web_page(url));
    let noindex = web.as_ref().is_some_and(|web| web.noindex);
    let properties = Properties {
        title: page.title(),
        language: page.language(),
        markdown: true,
        web,
        ..Properties::default()
    };
    let content = if noindex { String::new() } else { page.into_markdown() };
    Text { properties, pages: vec![extract_protocol::Page { content, error: None }] }
}

/// The text of a page: the MIME type declares its encoding, or else the page.
fn decode<'a>(file: &File<'a>) -> std::borrow::Cow<'a, str> {
    let declared = file.mime_type.and_then(text::charset).map(str::to_owned);
    text::decode(file.bytes, declared.or_else(|| charset::declared(file.bytes)).as_deref())
}
