//! Pages made to take much time, memory or stack. Each must be read; the bound on time only tells whether it hangs.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;
#[path = "common/quick.rs"]
mod quick;

use common::markdown;
use quick::quick;

/// Seconds in a debug build. A release build takes 2 s for each megabyte of these, and quadratic time would show.
const HANGS: u64 = 20;

fn reads(name: &str, page: &str) -> String {
    // The program reads on its main thread, which has 8 MB of stack.
    let page = page.to_owned();
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    println!("{name}");
    let found = thread.spawn(move || (page.len(), quick(HANGS, || markdown(&page)))).unwrap().join();
    let (length, content) = found.unwrap();
    assert!(content.len() <= 2 * length + 100_000, "{name}: {}", content.len());
    content
}

#[test]
fn reads_deep_pages() {
    for (name, part) in [
        ("lists", "<ul><li>a"),
        ("blocks", "<div>a"),
        ("quotations", "<blockquote>a"),
        ("tables", "<table><tr><td>a"),
        ("formatting", "<b>a<i>"),
        ("links", "<a href=x><div>a"),
        ("fonts", "<font color=red><p>a"),
        ("spans", "<span>a"),
        ("forms", "<form><div>a</form>"),
        ("svg", "<svg><g>"),
        ("headings", "<h1>a<h2>"),
        ("buttons", "<p><button>a"),
        ("details", "<details><summary>a"),
        ("unknown", "<x-y>a"),
    ] {
        reads(name, &format!("{}<p>The end of it.", part.repeat((48 << 10) / part.len())));
    }
}

#[test]
fn reads_large_pages() {
    let kilobytes = |part: &str| part.repeat((128 << 10) / part.len());
    let attributes: String = (0..60_000).map(|n| format!(" a{n}=1")).collect();
    for (name, page) in [
        ("tags without an end", kilobytes("<")),
        ("tags without an end", kilobytes("<p ")),
        ("tags without an end", kilobytes("<select><a ")),
        ("end tags", kilobytes("</p></div></b></table>")),
        ("comments", kilobytes("<!-- ")),
        ("comments", kilobytes("<!--<!-->-")),
        ("scripts", kilobytes("<script><!--<script></script>")),
        ("styles", kilobytes("<style></styl")),
        ("references", kilobytes("&lt;&amp;&#x26;&notanentity;&#99999999;")),
        ("an attribute", format!("<p title=\"{}\">a", "x".repeat(4 << 20))),
        ("attributes", format!("<p{attributes}>a")),
        ("siblings", "<p>a b".repeat(10_000)),
        ("items", format!("<ul>{}</ul>", "<li>a b".repeat(10_000))),
        ("cells", format!("<table>{}</table>", "<tr><td>a<td>b".repeat(5_000))),
        ("spans", format!("<p>{}", "<span>a</span> ".repeat(15_000))),
        ("line breaks", kilobytes("a<br>")),
        ("wide cells", format!("<table>{}</table>", "<tr><td colspan=99999 rowspan=99999>a".repeat(2_000))),
        ("text", kilobytes("word ")),
        ("a word", "x".repeat(4 << 20)),
    ] {
        reads(name, &page);
    }
}

#[test]
fn reads_many_links() {
    let page = format!("<body>{}{}", "<div>".repeat(140), "<p class=a>a b".repeat(50_000));
    reads("paragraphs deep inside", &page);
    let page = format!("<body>{}", "<a href=/x>link</a> ".repeat(15_000));
    reads("links", &page);
    let page = format!("<body><ul>{}</ul>", "<li><a href=/x>link</a>".repeat(15_000));
    reads("links in items", &page);
    let page = format!("<body>{}", "<div><a href=/x>link</a></div>".repeat(15_000));
    reads("links in blocks", &page);
}
