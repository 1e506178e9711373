//! A page that was parsed.

use dom_query::{Document, NodeRef};
use kb_rag_core::extract_protocol::WebPage;

use super::{content, language_tag, links, tidy};

/// Separators between the name of a page and the name of its site.
const SEPARATORS: [&str; 9] = [" | ", " - ", " – ", " — ", " · ", " :: ", " » ", " « ", " / "];
/// The longest title, in characters.
const MAX_TITLE_CHARACTERS: usize = 500;

/// A page that was parsed once.
pub struct Page {
    document: Document,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("title", &self.title()).finish_non_exhaustive()
    }
}

impl Page {
    /// Parses a page. Any text is a page. Takes time in proportion to its length.
    pub fn parse(page: &str) -> Page {
        Page { document: Document::from(tidy::tidy(page)) }
    }

    /// The title: that for other sites (`og:title`), or the `title` element, or else the first `h1`.
    ///
    /// The name of the site beside it is removed if the page says that it is one, or that the rest is the heading.
    pub fn title(&self) -> Option<String> {
        let heading =
            self.document.select("h1").iter().map(|h1| line(&h1.text())).find(|text| !text.is_empty());
        let declared = self.meta("property", "og:title").or_else(|| {
            let titles = self.document.select("title");
            let in_page = titles
                .nodes()
                .iter()
                .find(|title| !title.ancestors_it(None).any(|node| node.has_name("svg")));
            in_page.map(|title| line(&title.text())).filter(|text| !text.is_empty())
        });
        let Some(title) = declared else {
            return heading.map(shorten);
        };
        let site = self.meta("property", "og:site_name");
        Some(shorten(without_site(&title, site.as_deref(), heading.as_deref())))
    }

    /// The language that the page declares, as a tag of BCP 47.
    pub fn language(&self) -> Option<String> {
        let root = self.document.html_root();
        let lang = |name: &str| root.attr(name).and_then(|value| language_tag(&value));
        lang("lang")
            .or_else(|| lang("xml:lang"))
            .or_else(|| self.document.body().and_then(|body| language_tag(&body.attr("lang")?)))
            .or_else(|| language_tag(&self.meta("http-equiv", "content-language")?))
            .or_else(|| language_tag(&self.meta("name", "language")?))
            .or_else(|| language_tag(&self.meta("property", "og:locale")?))
    }

    /// What the page, fetched from `url`, says to a crawler.
    pub fn web_page(&self, url: &str) -> WebPage {
        links::web_page(&self.document, url)
    }

    /// The main content as Markdown, without NUL and U+000C, or why there is none.
    pub fn into_content(self) -> kb_rag_core::extract_protocol::Page {
        let title = self.title();
        let content = content::content(&self.document, title.as_deref());
        kb_rag_core::extract_protocol::Page { content: content.markdown, error: content.error }
    }

    /// The content of the first `meta` element with an attribute that has a value, in upper or lower case.
    fn meta(&self, attribute: &str, value: &str) -> Option<String> {
        let is_wanted = |node: &&NodeRef| {
            let is =
                |name: &str| node.attr(name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value));
            // Properties of Open Graph are often written as names.
            is(attribute) || (attribute == "property" && is("name"))
        };
        let metas = self.document.select("meta");
        let found = metas.nodes().iter().filter(is_wanted).filter_map(|node| node.attr("content"));
        found.map(|content| line(&content)).find(|content| !content.is_empty())
    }
}

/// A text in one line, without characters that are not shown.
fn line(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !super::markdown::is_dropped(*c)).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(mut title: String) -> String {
    if let Some((at, _)) = title.char_indices().nth(MAX_TITLE_CHARACTERS) {
        title.truncate(at);
    }
    title
}

fn without_site(title: &str, site: Option<&str>, heading: Option<&str>) -> String {
    let same = |a: &str, b: Option<&str>| b.is_some_and(|b| a.to_lowercase() == b.to_lowercase());
    for separator in SEPARATORS {
        if let Some((name, last)) = title.rsplit_once(separator)
            && (same(last, site) || same(name, heading))
        {
            return name.trim().to_owned();
        }
        if let Some((first, name)) = title.split_once(separator)
            && same(first, site)
        {
            return name.trim().to_owned();
        }
    }
    title.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_titles() {
        for (page, expected) in [
            ("<title>Green\n tea</title><h1>Tea</h1>", Some("Green tea")),
            ("<title>Tea | Shop</title><h1>Tea</h1>", Some("Tea")),
            (
                "<title>Tea - green - Shop</title><meta property=og:site_name content=shop>",
                Some("Tea - green"),
            ),
            ("<title>Tea - Shop</title><h1>Shop</h1>", Some("Tea - Shop")),
            ("<title>Shop - Tea</title><meta property=og:site_name content=Shop>", Some("Tea")),
            ("<title>Shop: Tea | green</title><h1>Coffee</h1>", Some("Shop: Tea | green")),
            ("<meta property='og:title' content='A &amp; B'><title>x</title>", Some("A & B")),
            ("<meta name='og:title' content=' '><title>x</title>", Some("x")),
            ("<svg><title>icon</title></svg><h1> <b>Te</b>a</h1>", Some("Tea")),
            ("<title></title><h1></h1><h1>Tea</h1>", Some("Tea")),
            ("<title>&shy;Te\u{ad}a</title>", Some("Tea")),
            ("<p>Tea</p>", None),
            ("", None),
        ] {
            assert_eq!(Page::parse(page).title().as_deref(), expected, "{page}");
        }
        assert_eq!(
            Page::parse(&format!("<title>{}", "é".repeat(9999))).title().unwrap().chars().count(),
            500
        );
    }

    #[test]
    fn finds_languages() {
        for (page, expected) in [
            ("<html lang=de-at>", Some("de-AT")),
            ("<html lang='' xml:lang=fr>", Some("fr")),
            ("<meta http-equiv=Content-Language content='es, en'>", Some("es")),
            ("<meta property=og:locale content=pt_BR>", Some("pt-BR")),
            ("<html lang=en><meta property=og:locale content=pt_BR>", Some("en")),
            ("<p lang=de>", None),
        ] {
            assert_eq!(Page::parse(page).language().as_deref(), expected, "{page}");
        }
    }
}
