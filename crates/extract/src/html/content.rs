//! The main content of a page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_query::{Document, NodeRef};
use rs_trafilatura::Options;

use super::clean::{clean, length, remove_around};
use super::tidy::tidy;
use super::{align, markdown};

/// How much the extractor may have to do: the sum of the depths of all nodes, since it looks at what is around each. It
/// takes up to 2 s for each million. Larger pages, of 2 MB and more, are written whole.
const EFFORT: usize = 4_000_000;
/// The same, in bytes of HTML without scripts and styles.
const LARGE: usize = 2 << 20;
/// A page with less text than this is written whole: the extractor needs more to find its way. In bytes.
const SMALL: usize = 300;

/// What the extractor has found.
struct Main {
    markdown: String,
    /// Whether it comes from the page's data for programs, such as JSON-LD. Then the page itself may have no text.
    from_data: bool,
}

/// The main content of a page as Markdown.
pub(super) fn markdown(document: &Document) -> String {
    clean(document);
    let html = document.html();
    let main = (html.len() <= LARGE && effort(document) <= EFFORT).then(|| main(&html)).flatten();
    remove_around(document);
    let Some(body) = document.body() else { return String::new() };
    let place = place(document).unwrap_or(body);
    match main {
        Some(main) if !has_code(&main.markdown, &place) => markdown::write(&place),
        Some(main) if is_plausible(&main, length(&body)) => main.markdown,
        _ => markdown::write(&body),
    }
}

fn effort(document: &Document) -> usize {
    let mut effort = 0;
    let mut nodes = vec![(document.root(), 0)];
    while let Some((node, depth)) = nodes.pop() {
        effort += depth;
        nodes.extend(node.children_it(false).map(|child| (child, depth + 1)));
    }
    effort
}

/// The element that the page says has its main content.
fn place(document: &Document) -> Option<NodeRef<'_>> {
    ["main, [role=main]", "article"].iter().find_map(|names| match document.select(names).nodes() {
        [one] => Some(*one),
        _ => None,
    })
}

/// Whether a text has at least half of the code in an element. Documentation of which the extractor has found one section
/// lacks code.
fn has_code(main: &str, place: &NodeRef) -> bool {
    let blocks = place.descendants_it().filter(|node| node.has_name("pre")).count();
    let fences = main.lines().filter(|line| line.trim_start().starts_with("```")).count();
    blocks < 4 || fences >= blocks
}

/// Whether the extractor has found the content, rather than too little, or parts of it several times.
fn is_plausible(main: &Main, whole: usize) -> bool {
    let words = |line: &str| line.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'|').count();
    let found: usize = main.markdown.lines().map(words).sum();
    let too_little = found == 0 || (found < SMALL && whole > 2 * found);
    let too_much = whole < SMALL || found > whole + whole / 4;
    !too_little && (main.from_data || !too_much)
}

/// What the extractor takes for the main content. None if it finds nothing, or panics: then the whole page is written, and
/// nothing is lost.
fn main(html: &str) -> Option<Main> {
    // The default truncates at 1 MB, and panics if a character is there.
    let options = Options { max_extracted_len: usize::MAX, ..Options::default() };
    let extract = AssertUnwindSafe(|| rs_trafilatura::extract_with_options(html, &options));
    let found = catch_unwind(extract).ok()?.ok()?;
    let from_data = found.warnings.iter().any(|warning| warning.starts_with("Using "));
    let Some(html) = found.content_html else {
        return Some(Main { markdown: markdown::plain(&found.content_text), from_data });
    };
    // Data may have HTML that was not bounded.
    let main = Document::from(tidy(&html));
    let body = main.body()?;
    // Lists of links are content of documentation.
    if !from_data && found.metadata.page_type.as_deref() != Some("documentation") {
        align::align(&body, &found.content_text);
    }
    Some(Main { markdown: markdown::write(&body), from_data })
}
