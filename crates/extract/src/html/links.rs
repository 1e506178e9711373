//! What a page says to a crawler: its links, its own address, and what must not be done with it.

use dom_query::{Document, NodeRef};
use kb_rag_core::extract_protocol::{MAX_LINKS, WebPage};
use url::Url;

use crate::urls::{Urls, absolute, base};

/// After more than this many seconds, a page that sends its readers elsewhere has been read.
const SOON: u32 = 10;

/// Who a `meta` element may speak to: all robots, or this one.
const ROBOTS: [&str; 2] = ["robots", "kb_rag"];

/// What the page that was fetched from `url` says. To be asked before anything is removed: menus have most links.
pub(super) fn web_page(document: &Document, url: &str) -> WebPage {
    let own = base(url);
    let bases = document.select("base[href]");
    // The first counts, even if it is no address (then the page's own is the base).
    let declared = bases.nodes().first().and_then(|node| absolute(own.as_ref(), &node.attr("href")?));
    let base = declared.as_deref().and_then(base).or_else(|| own.clone());
    let mut page = WebPage::default();
    for meta in document.select("meta[content]").nodes() {
        let says = |attribute: &str, values: &[&str]| {
            meta.attr(attribute)
                .is_some_and(|found| values.iter().any(|v| found.trim().eq_ignore_ascii_case(v)))
        };
        let content = meta.attr_or("content", "");
        if says("name", &ROBOTS) {
            for word in content.split(|c: char| c == ',' || c.is_whitespace()) {
                let is = |name| word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case("none");
                page.noindex |= is("noindex");
                page.nofollow |= is("nofollow");
            }
        }
        if says("http-equiv", &["refresh"]) && page.refresh.is_none() {
            let target = refresh_target(&content).and_then(|target| absolute(base.as_ref(), target));
            // A page that loads itself again leads nowhere.
            let itself = absolute(own.as_ref(), "");
            page.refresh = target.filter(|target| Some(target) != itself.as_ref());
        }
    }
    // Elsewhere it may be part of what others wrote.
    let canonical = document.select("head link[rel][href]");
    page.canonical = canonical
        .nodes()
        .iter()
        .filter(|link| has_rel(link, "canonical"))
        .find_map(|link| absolute(base.as_ref(), &link.attr("href")?));
    if !page.nofollow {
        page.links = links(document, base.as_ref());
    }
    page
}

/// What it links to.
fn links(document: &Document, base: Option<&Url>) -> Vec<String> {
    let mut urls = Urls::new(MAX_LINKS);
    for node in document.select("a[href], area[href], link[rel][href]").nodes() {
        let follow = match node.has_name("link") {
            true => has_rel(node, "next") || has_rel(node, "prev"),
            false => !has_rel(node, "nofollow"),
        };
        let url = node.attr("href").filter(|_| follow).and_then(|href| absolute(base, &href));
        if url.is_some_and(|url| !urls.add(url)) {
            break;
        }
    }
    urls.into_vec()
}

fn has_rel(node: &NodeRef, word: &str) -> bool {
    node.attr("rel").is_some_and(|rel| rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case(word)))
}

/// The target in the content of a refresh, such as `0; url=/next` (the HTML standard, "shared declarative refresh steps"). None
/// without a target, or if it comes late.
fn refresh_target(content: &str) -> Option<&str> {
    let content = content.trim_ascii();
    let digits = content.find(|c: char| !c.is_ascii_digit())?;
    let (seconds, rest) = content.split_at(digits);
    // Without digits there must be a fraction.
    let seconds = if seconds.is_empty() && rest.starts_with('.') { "0" } else { seconds };
    if seconds.parse::<u32>().ok()? > SOON {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let named = rest.get(..3).filter(|name| name.eq_ignore_ascii_case("url")).and_then(|_| {
        let value = rest.get(3..)?.trim_ascii_start().strip_prefix('=')?;
        Some(value.trim_ascii_start())
    });
    let target = named.unwrap_or(rest);
    let target = match target.strip_prefix(['\'', '"']) {
        Some(quoted) => quoted.split(['\'', '"']).next()?,
        None => target,
    };
    (!target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_targets_of_refreshes() {
        for (content, expected) in [
            ("0;url=/next", Some("/next")),
            ("0; URL='/next'", Some("/next")),
            ("5 , url = \"next\" ", Some("next")),
            ("0.5;next", Some("next")),
            (".5;next", Some("next")),
            ("0 url=next", Some("next")),
            ("10;url=next", Some("next")),
            ("11;url=next", None),
            ("99999999999999999999;url=next", None),
            ("0;url='", None),
            ("0;", None),
            ("0", None),
            ("url=next", None),
            ("\u{660};next", None),
            ("0;\u{fc}r", Some("\u{fc}r")),
            ("", None),
        ] {
            assert_eq!(refresh_target(content), expected, "{content}");
        }
    }
}
