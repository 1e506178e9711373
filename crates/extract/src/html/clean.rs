//! What is no text of a page.

use dom_query::{Document, NodeRef};

/// Elements without text for readers.
const NOT_TEXT: &str = "body title, template, noscript, svg, canvas, audio, video, object, embed, map, progress, meter, input, textarea, \
    datalist, iframe, style, link, annotation, annotation-xml, dialog:not([open])";
/// What only repeats or controls: links to headings, line numbers, texts for screen readers.
const FURNITURE: &str = "a.headerlink, a.anchor, a.anchorjs-link, a.hash-link, a.header-anchor, .mw-editsection, \
    td.gutter, td.rouge-gutter, td.linenos, td.line-numbers, span.linenos, span.lineno, .sr-only, .visually-hidden, \
    .screen-reader-text, .skip-link, a[href='#content'], a[href='#main'], a[href='#main-content']";
/// Navigation and the like, which is left out of a whole page. Headers and footers of an article are part of it.
const AROUND: &str = "nav, aside, menu, [role=navigation], [role=banner], [role=contentinfo], [role=search], \
    [role=complementary], [role=menu], [role=menubar], [role=dialog], [role=alertdialog], [aria-modal=true], \
    [id*=cookie-], [class*=cookie-], [id*=consent], [class*=consent], .breadcrumb, .breadcrumbs, button, form";
/// Elements that the extractor of the main content does not know or leaves out, and what they become. Otherwise the
/// words at their borders are joined.
const RENAMED: [(&str, &str); 10] = [
    ("details", "div"),
    ("summary", "p"),
    ("figcaption", "p"),
    ("address", "div"),
    ("center", "div"),
    ("hgroup", "div"),
    ("dir", "ul"),
    ("listing", "pre"),
    ("search", "div"),
    ("marquee", "div"),
];
/// A form with this much text is no form: some pages have all of their content in one. In characters.
const FORM: usize = 1000;

/// Removes what is hidden, and what is no text for readers.
pub(super) fn clean(document: &Document) {
    document.select(NOT_TEXT).remove();
    free_sections(document);
    document.select(FURNITURE).remove();
    remove_hidden(document);
    let whole = document.body().map_or(0, |body| length(&body));
    for form in document.select("form").nodes() {
        let length = length(form);
        if length > FORM || length * 2 > whole {
            form.rename("div");
        }
    }
    // The extractor leaves out figures; those with code are content.
    for figure in document.select("figure:has(pre)").nodes() {
        figure.rename("div");
    }
    for button in document
        .select("h1 button, h2 button, h3 button, h4 button, h5 button, h6 button, summary button")
        .nodes()
    {
        button.rename("span");
    }
    for (from, to) in RENAMED {
        for node in document.select(from).nodes() {
            node.rename(to);
        }
    }
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

/// Removes what is around the content of a page.
pub(super) fn remove_around(document: &Document) {
    document.select(AROUND).remove();
    for node in document.select("header, footer").nodes() {
        if !node.ancestors_it(None).any(|around| around.has_name("article") || around.has_name("main")) {
            node.remove_from_parent();
        }
    }
}

/// Removes hidden elements, unless nearly nothing would be left: scripts of some pages show what is hidden at first.
fn remove_hidden(document: &Document) {
    let marked = document.select("[hidden], [style], [aria-hidden]");
    let hidden: Vec<_> = marked.nodes().iter().filter(|node| is_hidden(node)).collect();
    if hidden.is_empty() {
        return;
    }
    let Some(body) = document.body() else { return };
    let ids: std::collections::HashSet<_> = hidden.iter().map(|node| node.id).collect();
    let outermost = |node: &&&NodeRef| !node.ancestors_it(None).any(|around| ids.contains(&around.id));
    let of_hidden: usize = hidden.iter().filter(outermost).map(|node| length(node)).sum();
    let of_all = if ids.contains(&body.id) { of_hidden } else { length(&body) };
    let left = of_all.saturating_sub(of_hidden);
    if left < 100 && left * 20 < of_hidden {
        return;
    }
    for node in hidden {
        node.remove_from_parent();
    }
}

fn is_hidden(node: &NodeRef) -> bool {
    if node.attr("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return true;
    }
    if node.attr("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
        return true;
    }
    let style: String =
        node.attr("style").unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    style.split(';').any(|rule| {
        let rule = rule.strip_suffix("!important").unwrap_or(rule);
        matches!(
            rule,
            "display:none" | "visibility:hidden" | "visibility:collapse" | "content-visibility:hidden"
        )
    })
}

/// The length of the text of an element, in bytes, without white space.
pub(super) fn length(node: &NodeRef) -> usize {
    let text = |node: &NodeRef| node.text().bytes().filter(|b| !b.is_ascii_whitespace()).count();
    let is_shown = |node: &NodeRef| {
        node.is_text()
            && !node.parent().is_some_and(|parent| parent.has_name("script") || parent.has_name("style"))
    };
    node.descendants_it().filter(is_shown).map(|node| text(&node)).sum()
}
