//! What is no text of a page.

use dom_query::{Document, NodeRef};

use super::hidden;
use super::measure::Measures;

/// Elements without text for readers.
const NOT_TEXT: &str = "body title, template, noscript, svg, canvas, audio, video, object, embed, map, input, textarea, \
    datalist, iframe, style, link, annotation, annotation-xml, dialog:not([open])";
/// What only repeats or controls: links to headings, line numbers, texts for screen readers.
const FURNITURE: &str = "a.headerlink, a.src, a.anchor, a.anchorjs-link, a.hash-link, a.header-anchor, .mw-editsection, \
    td.gutter, td.rouge-gutter, td.linenos, td.line-numbers, span.linenos, span.lineno, .sr-only, .visually-hidden, \
    .screen-reader-text, .skip-link, a[href='#content'], a[href='#main'], a[href='#main-content']";
/// A form with this much text is no form: some pages have all of their content in one. In characters.
const FORM: usize = 1000;

/// Removes what is hidden, and what is no text for readers.
pub(super) fn clean(document: &Document) {
    document.select(NOT_TEXT).remove();
    free_sections(document);
    document.select(FURNITURE).remove();
    let measures = body(document);
    hidden::remove(document, &measures);
    let whole = document.body().map_or(0, |body| measures.get(&body).characters);
    for form in document.select("form").nodes() {
        let characters = measures.get(form).characters;
        if characters > FORM || characters * 2 > whole {
            form.rename("div");
        }
    }
    for button in document
        .select("h1 button, h2 button, h3 button, h4 button, h5 button, h6 button, summary button")
        .nodes()
    {
        button.rename("span");
    }
}

fn body(document: &Document) -> Measures {
    document.body().map_or_else(Measures::default, |body| Measures::of(&body))
}

/// Removes the names of headings and sections that have a link to themselves, as documentation has. The extractor leaves out
/// what has a name such as "navigation", but these are named by their text.
fn free_sections(document: &Document) {
    for link in document.select("h1 a, h2 a, h3 a, h4 a, h5 a, h6 a").nodes() {
        let Some(target) = link.attr("href").and_then(|href| href.strip_prefix('#').map(str::to_owned))
        else {
            continue;
        };
        let Some(heading) = link.ancestors_it(Some(4)).find(is_heading) else { continue };
        heading.remove_attrs(&["id", "class"]);
        if let Some(section) =
            heading.parent().filter(|section| section.id_attr().is_some_and(|id| *id == *target))
        {
            section.remove_attr("id");
        }
    }
}

fn is_heading(node: &NodeRef) -> bool {
    ["h1", "h2", "h3", "h4", "h5", "h6"].iter().any(|name| node.has_name(name))
}
