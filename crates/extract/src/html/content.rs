//! The main content of a page.
//!
//! The extractor of the main content chooses the element that has it ([`marked`]); what of that is text, our own rules say
//! ([`rules`]). So each text of the element is in the content once and in its order, unless a rule names it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_query::{Document, NodeRef};
use rs_trafilatura::Options;

use super::clean::clean;
use super::markdown;
use super::marked::Marked;
use super::measure::Measures;
use super::rules::{self, Cut, Part};
use super::tidy::tidy;

/// How much the extractor may have to do: the sum of the depths of all nodes, since it looks at what is around each. It
/// takes up to 2 s for each million. Larger pages, of 2 MB and more, are written whole.
const EFFORT: usize = 4_000_000;
/// The same, in bytes of HTML without scripts and styles.
const LARGE: usize = 2 << 20;
/// A page with less text than this is written whole: the extractor needs more to find its way. In characters.
const SMALL: usize = 300;

/// What the extractor has found.
#[derive(Debug)]
enum Main<'a> {
    /// The elements that have the content, and what is left out of them.
    Elements(Vec<NodeRef<'a>>, Cut),
    /// Markdown from the page's data for programs, such as JSON-LD. The page itself may have no text.
    Data(String),
    /// What the extractor has made of texts from all over the page.
    Texts(String),
}

/// The content of a page.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) markdown: String,
    /// Why there is none.
    pub(super) error: Option<String>,
}

/// The main content of a page with a title as Markdown.
pub(super) fn content(document: &Document, title: Option<&str>) -> Content {
    clean(document);
    let Some(body) = document.body() else { return Content { markdown: String::new(), error: None } };
    let measures = Measures::of(&body);
    let page = |part, is_forum| rules::Page { measures: &measures, title, part, is_forum };
    let main = (effort(document) <= EFFORT)
        .then(|| Marked::write(document, &measures))
        .filter(|marked| marked.html.len() <= LARGE)
        .and_then(|marked| main(document, &marked, &page));
    let whole = rules::cut(&[body], &page(Part::Page, false));
    let found = main.as_ref().map_or(0, Main::characters);
    let markdown = match main {
        Some(main) if !has_code(&main, document, &body) => {
            let place = place(document).unwrap_or(body);
            let _ = main;
            markdown::write(&[place], &whole, &measures)
        }
        Some(Main::Data(data)) if found >= SMALL || whole.left <= 2 * found => data,
        Some(Main::Elements(roots, cut)) if is_plausible(found, whole.left) => {
            markdown::write(&roots, &cut, &measures)
        }
        Some(Main::Texts(texts)) if is_plausible(found, whole.left) => texts,
        _ => markdown::write(&[body], &whole, &measures),
    };
    let error = markdown.trim().is_empty().then(|| nothing_left(measures.get(&body).characters, &whole));
    Content { markdown, error }
}

/// Why a page has no content.
fn nothing_left(characters: usize, cut: &Cut) -> String {
    match characters {
        0 => "the page has no text that is shown".to_owned(),
        _ => format!("the page has no text of its own, only: {}", cut.rules().join(", ")),
    }
}

impl Main<'_> {
    fn characters(&self) -> usize {
        let of = |text: &str| text.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'|').count();
        match self {
            Main::Elements(_, cut) => cut.left,
            Main::Data(text) | Main::Texts(text) => of(text),
        }
    }

    /// How many blocks of code it has.
    fn code(&self) -> usize {
        let fences =
            |text: &str| text.lines().filter(|line| line.trim_start().starts_with("```")).count() / 2;
        match self {
            Main::Elements(roots, cut) => roots.iter().map(|root| code(root, cut)).sum(),
            Main::Data(text) | Main::Texts(text) => fences(text),
        }
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

/// Whether half of the code of a page is in what was found. Documentation of which the extractor has found one section lacks
/// code.
fn has_code(main: &Main, document: &Document, body: &NodeRef) -> bool {
    let blocks = code(&place(document).unwrap_or(*body), &Cut::default());
    blocks < 4 || 2 * main.code() >= blocks
}

fn code(node: &NodeRef, cut: &Cut) -> usize {
    let mut blocks = 0;
    let mut nodes = vec![*node];
    while let Some(node) = nodes.pop() {
        if !cut.has(&node) {
            blocks += usize::from(node.has_name("pre"));
            nodes.extend(node.children_it(false));
        }
    }
    blocks
}

/// Whether the extractor has found the content, rather than too little.
fn is_plausible(found: usize, whole: usize) -> bool {
    let too_little = found == 0 || (found < SMALL && whole > 2 * found);
    !too_little && whole >= SMALL
}

/// What the extractor takes for the main content. None if it finds nothing, or panics: then the whole page is written, and
/// nothing is lost.
fn main<'a, 'b>(
    document: &'a Document,
    marked: &Marked,
    page: &impl Fn(Part, bool) -> rules::Page<'b>,
) -> Option<Main<'a>> {
    // The default truncates at 1 MB, and panics if a character is there.
    let options = Options { max_extracted_len: usize::MAX, ..Options::default() };
    let extract = AssertUnwindSafe(|| rs_trafilatura::extract_with_options(&marked.html, &options));
    let found = catch_unwind(extract).ok()?.ok()?;
    let html = found.content_html;
    if found.warnings.iter().any(|warning| warning.starts_with("Using ")) {
        // Data may have HTML that was not bounded.
        return Some(Main::Data(
            html.map_or_else(|| markdown::plain(&found.content_text), |html| written(&html)),
        ));
    }
    let kind = found.metadata.page_type.unwrap_or_default();
    let part = if kind == "documentation" { Part::Content } else { Part::Article };
    let roots = marked.chosen(document, html.as_deref().unwrap_or(&found.content_text));
    let page = page(part, kind == "forum");
    let place = place(document);
    if roots.is_empty() {
        return Some(match place {
            Some(place) => Main::Elements(vec![place], rules::cut(&[place], &page)),
            None => {
                Main::Texts(html.map_or_else(|| markdown::plain(&found.content_text), |html| written(&html)))
            }
        });
    }
    let cut = rules::cut(&roots, &page);
    if let Some(around) = around(&roots) {
        // Texts from all over an element: what is between them, such as headings, belongs to them.
        let whole = rules::cut(&[around], &page);
        if whole.left <= 2 * cut.left {
            return Some(Main::Elements(vec![around], whole));
        }
    }
    if let Some(place) = place
        && roots.iter().all(|root| root.ancestors_it(None).any(|around| around.id == place.id))
    {
        // The page says where its content is, and the extractor has found a part of it, such as the first of several articles.
        let whole = rules::cut(&[place], &page);
        let linked =
            |nodes: &[NodeRef]| nodes.iter().map(|node| page.measures.get(node).linked).sum::<usize>();
        let others = whole.left.saturating_sub(cut.left);
        let is_text = 10 * linked(&[place]).saturating_sub(linked(&roots)) < others;
        let is_outside = |node: &NodeRef| {
            !node.ancestors_it(None).any(|around| roots.iter().any(|root| root.id == around.id))
        };
        let titles =
            place.descendants_it().filter(|node| node.has_name("h1") && !whole.has(node) && is_outside(node));
        let of_titles: usize = titles.map(|title| page.measures.get(&title).characters).sum();
        let is_titled = others > 0 && others == of_titles;
        if whole.left > 2 * cut.left || (is_text && 5 * others > cut.left) || is_titled {
            return Some(Main::Elements(vec![place], whole));
        }
    }
    Some(Main::Elements(roots, cut))
}

/// The innermost element around several.
fn around<'a>(nodes: &[NodeRef<'a>]) -> Option<NodeRef<'a>> {
    let (first, others) = nodes.split_first()?;
    let is_around = |around: &NodeRef| {
        others.iter().all(|other| other.ancestors_it(None).any(|outer| outer.id == around.id))
    };
    first.ancestors_it(None).filter(|_| !others.is_empty()).find(is_around)
}

fn written(html: &str) -> String {
    let document = Document::from(tidy(html));
    document
        .body()
        .map_or_else(String::new, |body| markdown::write(&[body], &Cut::default(), &Measures::of(&body)))
}
