//! HTML pages.
//!
//! A page is decoded, bounded ([`tidy`]) and parsed once, into a [`Page`]. What is asked of it is read from that: title,
//! language, what it says to a crawler ([`links`]), and its text as Markdown. For the text, what is no text ([`clean`]) and what
//! nobody is shown ([`hidden`]) is removed, the element with the main content is chosen ([`content`], [`marked`]), rules leave
//! out what in it is none ([`rules`]), and the rest is written ([`markdown`]).

pub(crate) mod charset;
mod clean;
mod content;
mod hidden;
mod language;
mod links;
mod markdown;
mod marked;
mod measure;
mod page;
mod rules;
mod tidy;

use kb_rag_core::extract_protocol::{self, Failure, Properties};

pub(crate) use self::language::language_tag;
pub use self::page::Page;
use crate::{File, Text, text};

/// The main content of a page, as Markdown: headings, lists, tables and code keep their form. Of links, only the text is
/// kept, since addresses are no text to search or embed; images are left out, and so is emphasis.
///
/// # Errors
/// None: each text can be read as a page. One of which nothing is left says why, in the error of its page.
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
    let page = if noindex { extract_protocol::Page::default() } else { page.into_content() };
    Text { properties, pages: vec![page] }
}

/// The text of a page: the MIME type declares its encoding, or else the page.
fn decode<'a>(file: &File<'a>) -> std::borrow::Cow<'a, str> {
    let declared = file.mime_type.and_then(text::charset).map(str::to_owned);
    text::decode(file.bytes, declared.or_else(|| charset::declared(file.bytes)).as_deref())
}
