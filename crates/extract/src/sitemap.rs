//! Sitemaps (sitemaps.org, version 0.9) and feeds (RSS 0.9 to 2.0, Atom): the addresses in them.
//!
//! Elements are known by their names without prefix. Entities other than the five of XML stand for nothing, and no document
//! type is read, so nothing expands.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::MultiGzDecoder;
use kb_rag_core::extract_protocol::{Failure, MAX_PAGES, MAX_SITEMAPS, MAX_URL_BYTES, Sitemap};
use quick_xml::events::BytesStart;
use url::Url;

use crate::docx::xml::{Events, Node, attribute};
use crate::urls::{self, Urls, absolute};
use crate::{File, html, text};

/// The most bytes of a sitemap, which is the limit of sitemaps.org.
const MAX_BYTES: u64 = 50 << 20;

/// How packed bytes begin.
pub(crate) const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The addresses in a sitemap or a feed that was fetched from `url`. Of a feed, these are the pages of its entries. A text
/// without markup is a sitemap if it has an address alone on a line.
///
/// # Errors
/// [`Failure::Damaged`] if it is none, or damaged before the first address; [`Failure::Limit`] if it is larger than 50 MiB when
/// unpacked.
pub fn read(file: &File, url: &str) -> Result<Sitemap, Failure> {
    let (bytes, whole) = unpack(file.bytes)?;
    let declared = file.mime_type.and_then(text::charset).map(str::to_owned);
    let text = text::decode(&bytes, declared.or_else(|| html::charset::declared(&bytes)).as_deref());
    let text = text.trim_start();
    let mut found = Found {
        base: urls::base(url),
        pages: Urls::new(MAX_PAGES),
        sitemaps: Urls::new(MAX_SITEMAPS),
        complete: whole,
    };
    let is_sitemap = if text.starts_with('<') { found.read_xml(text) } else { found.read_lines(text) };
    let complete = found.complete;
    let (pages, sitemaps) = (found.pages.into_vec(), found.sitemaps.into_vec());
    if !is_sitemap {
        return Err(Failure::Damaged("it is neither a sitemap nor a feed".into()));
    }
    if !complete && pages.is_empty() && sitemaps.is_empty() {
        return Err(Failure::Damaged("it breaks off before the first address".into()));
    }
    Ok(Sitemap { pages, sitemaps, complete })
}

/// The unpacked bytes, and whether these are all.
fn unpack(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), Failure> {
    let (bytes, whole) = if bytes.starts_with(&GZIP) {
        let mut unpacked = Vec::new();
        let outcome = MultiGzDecoder::new(bytes).take(MAX_BYTES + 1).read_to_end(&mut unpacked);
        (Cow::Owned(unpacked), outcome.is_ok())
    } else {
        (Cow::Borrowed(bytes), true)
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::Limit(format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    Ok((bytes, whole))
}

/// What an element is, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    /// One page of a sitemap.
    Url,
    /// One sitemap of several.
    Sitemap,
    /// One entry of a feed.
    Entry,
    /// The address of one of these.
    Address,
    Other,
}

struct Found {
    base: Option<Url>,
    pages: Urls,
    sitemaps: Urls,
    complete: bool,
}

impl Found {
    /// Reads XML until its end, damage, or too many addresses. Whether it is a sitemap or a feed.
    fn read_xml(&mut self, xml: &str) -> bool {
        let mut events = Events::new(xml);
        let mut open: Vec<Element> = Vec::new();
        let mut has_root = false;
        let mut address = String::new();
        loop {
            let Ok(node) = events.next() else {
                self.complete = false;
                return has_root;
            };
            match node {
                None => return has_root,
                Some(Node::Start(tag)) => {
                    if open.is_empty() {
                        let name = tag.local_name().into_inner();
                        if !matches!(name, "urlset" | "sitemapindex" | "rss" | "RDF" | "feed") {
                            return has_root;
                        }
                        has_root = true;
                    }
                    let element = element(&tag, &open);
                    address.clear();
                    if let (Element::Entry, Some(href)) = (open.last().unwrap_or(&Element::Other), href(&tag))
                        && !self.add(Element::Entry, &href)
                    {
                        return true;
                    }
                    open.push(element);
                }
                Some(Node::Text(text)) => {
                    // Of an address that is too long, enough is kept to be too long.
                    if open.last() == Some(&Element::Address) && address.len() <= 4 * MAX_URL_BYTES {
                        address.push_str(&text);
                    }
                }
                Some(Node::End(_)) => {
                    if open.pop() == Some(Element::Address)
                        && let Some(of) = open.last()
                        && !self.add(*of, address.trim())
                    {
                        return true;
                    }
                    address.clear();
                }
            }
        }
    }

    /// Reads one address a line. Whether there is any.
    fn read_lines(&mut self, text: &str) -> bool {
        let mut any = false;
        for line in text.lines() {
            let Some(url) = absolute(None, line) else { continue };
            any = true;
            if !self.pages.add(url) {
                self.complete = false;
                break;
            }
        }
        any
    }

    /// Adds the address of an element, if it is one. False, and no longer complete, if there is no room for it.
    fn add(&mut self, of: Element, address: &str) -> bool {
        if address.is_empty() {
            return true;
        }
        let Some(url) = absolute(self.base.as_ref(), address) else { return true };
        let urls = if of == Element::Sitemap { &mut self.sitemaps } else { &mut self.pages };
        let is_room = urls.add(url);
        self.complete &= is_room;
        is_room
    }
}

/// What an element is within those that are open.
fn element(tag: &BytesStart<'_>, open: &[Element]) -> Element {
    match (open.last(), tag.local_name().into_inner()) {
        (Some(_), "url") if open.len() == 1 => Element::Url,
        (Some(_), "sitemap") if open.len() == 1 => Element::Sitemap,
        (Some(Element::Other), "item" | "entry") => Element::Entry,
        // Not that of an image in it.
        (Some(Element::Url | Element::Sitemap), "loc") => Element::Address,
        (Some(Element::Entry), "link") if attribute(tag, "href").is_none() => Element::Address,
        _ => Element::Other,
    }
}

/// The address in a link of Atom to the page of an entry, rather than to itself or a file.
fn href(tag: &BytesStart<'_>) -> Option<String> {
    if tag.local_name().into_inner() != "link" {
        return None;
    }
    let is_page = attribute(tag, "rel").is_none_or(|rel| rel == "alternate");
    attribute(tag, "href").filter(|_| is_page)
}

#[cfg(test)]
mod tests;
