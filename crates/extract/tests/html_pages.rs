//! Pages as they are on the web: what is kept, and what is left out. All are our own.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

mod common;

use common::{markdown, read};

const PARAGRAPH: &str = "Leaves of one plant become green or black tea: black tea is fully oxidized, green tea is steamed soon \
    after it was picked, so that it keeps its colour. Water for green tea should not boil, but have about 75 degrees.";

fn all_in(text: &str, parts: &[&str]) {
    let mut at = 0;
    for part in parts {
        let found = text[at..].find(part);
        assert!(found.is_some(), "{part} is missing, or not in order:\n{text}");
        at += found.unwrap() + part.len();
    }
}

fn none_in(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part} is in:\n{text}");
    }
}

#[test]
fn reads_an_article() {
    let page = format!(
        "<!DOCTYPE html><html lang=en-GB><head><title>About tea | Leaves</title><meta property=og:site_name content=Leaves>
        <style>p {{ color: red }}</style><script>var tracking = 'x';</script></head><body>
        <header><a href=/>Leaves</a><nav><ul><li><a href=/a>Shop</a><li><a href=/b>Imprint</a></ul></nav></header>
        <div class=cookie-banner>We use cookies. <button>Accept all</button></div>
        <main><article><h1>About tea</h1><p>{PARAGRAPH} <a href=https://example.com/x>More on water</a>.</p>
        <h2>Brewing</h2><p>{PARAGRAPH}</p><p style='display: none'>Secret words.</p><p hidden>Hidden words.</p>
        <figure><img src=a.jpg alt=Cup></figure>
        <table><tr><th>Tea<th>Minutes<tr><td>green<td>2<tr><td>black<td>4</table>
        <h2>Storing</h2><ul><li>dark<li>dry</ul><p>{PARAGRAPH}</p><blockquote><p>Tea is quiet.</p></blockquote></article></main>
        <aside><h3>Related</h3><a href=/c>Ten cups of coffee</a></aside>
        <footer>Copyright of Leaves <a href=/d>Privacy</a></footer></body></html>"
    );
    let text = read(page.as_bytes(), "tea.html");
    assert_eq!(text.properties.title.as_deref(), Some("About tea"));
    assert_eq!(text.properties.language.as_deref(), Some("en-GB"));
    let content = &text.pages[0].content;
    let row = "| Tea | Minutes |\n| --- | --- |\n| green | 2 |\n| black | 4 |";
    all_in(
        content,
        &["More on water.", "\n## Brewing\n", row, "\n## Storing\n", "- dark\n- dry", "> Tea is quiet."],
    );
    none_in(
        content,
        &[
            "cookies",
            "Accept",
            "Shop",
            "Secret",
            "Hidden",
            "Related",
            "coffee",
            "Copyright",
            "tracking",
            "color",
            "http",
        ],
    );
}

/// Pages of programs that write documentation.
fn documentation() -> Vec<(&'static str, String)> {
    let sections = |open: &str, close: &str, heading: &str, code: &str| -> String {
        (1..=9)
            .map(|n| {
                let heading = heading.replace("NUMBER", &n.to_string());
                let code = code.replace("NUMBER", &n.to_string());
                format!("{open}{heading}<p>Section {n} explains step {n}. {PARAGRAPH}</p>{code}<p>After code {n}.</p>{close}")
            })
            .collect()
    };
    let menu: String = (0..40).map(|n| format!("<li><a href=/{n}>Chapter of menu {n}</a></li>")).collect();
    let mdbook = sections(
        "",
        "",
        "<h2 id=s><a class=header href=#s>Step NUMBER</a></h2>",
        "<pre><code class='language-rust'>fn step_NUMBER() {\n    run(&quot;a_b&quot;);\n}</code></pre>",
    );
    let sphinx = sections(
        "<section id=sidebar-navigation>",
        "</section>",
        "<h2>Step NUMBER<a class=headerlink href=#sidebar-navigation title='Link to this heading'>¶</a></h2>",
        "<div class='highlight-python notranslate'><div class=highlight><pre><span></span><span class=k>def</span> <span \
         class=nf>step_NUMBER</span><span class=p>():</span>\n    <span class=n>run</span>(<span class=s>\"a_b\"</span>)\n</pre></div></div>",
    );
    let docusaurus = sections(
        "",
        "",
        "<h2 class='anchor anchorWithStickyNavbar' id=s>Step NUMBER<a href=#s class=hash-link aria-label='Direct link'>\u{200b}</a></h2>",
        "<div class='language-js codeBlockContainer'><div class=codeBlockContent><pre tabindex=0 class='prism-code \
         language-js'><code><span class=token-line>function step_NUMBER() {<br></span><span class=token-line>    run('a_b')<br></span><span \
         class=token-line>}<br></span></code></pre><div class=buttonGroup><button>Copy</button></div></div></div>",
    );
    let hugo = sections(
        "",
        "",
        "<h2 id=s>Step NUMBER <a href=#s class=anchor aria-hidden=true>#</a></h2>",
        "<figure class=highlight><pre><code data-lang=go>func step_NUMBER() {\n    run(a_b)\n}</code></pre></figure>",
    );
    vec![
        (
            "mdbook",
            format!(
                "<html lang=en><head><title>Steps - The Book</title></head><body><nav id=sidebar class=sidebar><ol>{menu}</ol></nav>
                <div id=page-wrapper class=page-wrapper><div class=page><div id=menu-bar class=menu-bar><h1 class=menu-title>The Book</h1>
                </div><div id=content class=content><main><h1 id=t><a class=header href=#t>Steps</a></h1>{mdbook}</main>
                <nav class=nav-wrapper><a rel=next href=x>Next chapter</a></nav></div></div></div></body></html>"
            ),
        ),
        (
            "sphinx",
            format!(
                "<html lang=en><head><title>Steps &#8212; Project 1.0 documentation</title></head><body><div class=related><ul>{menu}</ul>
                </div><div class=document><div class=documentwrapper><div class=bodywrapper><div class=body role=main><section id=steps>
                <h1>Steps<a class=headerlink href=#steps>¶</a></h1>{sphinx}</section></div></div></div><div class=sphinxsidebar
                role=navigation><ul>{menu}</ul></div></div><div class=footer>Created using Sphinx.</div></body></html>"
            ),
        ),
        (
            "docusaurus",
            format!(
                "<html lang=en><head><title>Steps | Project</title></head><body><div id=__docusaurus><nav class=navbar>{menu}</nav>
                <div class=main-wrapper><aside class=theme-doc-sidebar-container><ul class='menu__list'>{menu}</ul></aside>
                <main><div class=container><div class=row><div class='col docItemCol'><div class=docItemContainer><article>
                <div class='theme-doc-markdown markdown'><header><h1>Steps</h1></header>{docusaurus}</div></article></div></div>
                <div class='col col--3'><div class='tableOfContents'><ul><li><a href=#s>Step 1</a></ul></div></div></div></div></main></div>
                <footer class=footer>Built with Docusaurus.</footer></div></body></html>"
            ),
        ),
        (
            "hugo",
            format!(
                "<html lang=en><head><title>Steps</title></head><body><div class=td-main><div class=row><div class=td-sidebar><ul>{menu}</ul>
                </div><main class=col role=main><div class=td-content><h1>Steps</h1>{hugo}</div></main></div></div></body></html>"
            ),
        ),
    ]
}

#[test]
fn reads_documentation() {
    for (name, page) in documentation() {
        let content = markdown(&page);
        println!("{name}: {} bytes", content.len());
        for n in 1..=9 {
            let heading = format!("\n## Step {n}\n");
            let paragraph = format!("Section {n} explains step {n}. Leaves of one plant");
            let code =
                format!("step_{n}() {{\n    run(").replace(if name == "sphinx" { " {" } else { "\0" }, ":");
            let after = format!("After code {n}.");
            all_in(&format!("\n{content}"), &[&heading, &paragraph, "```", &code, "```", &after]);
        }
        none_in(&content, &["Chapter of menu", "¶", "Copy", "Next chapter", "Created using", "Built with"]);
    }
}

#[test]
fn reads_pages_without_an_article() {
    // A product.
    let product = "<html><head><title>Tea pot</title></head><body><nav><a href=/>Home</a></nav><div class=product><h1>Tea pot</h1>
        <div class=price>29 €</div><div>White, holds 1.2 liters.</div><table><tr><td>Height<td>14 cm<tr><td>Weight<td>800 g</table>
        </div><footer>Imprint</footer></body></html>";
    let content = markdown(product);
    all_in(&content, &["29 €", "White, holds 1.2 liters.", "| Height | 14 cm |", "| Weight | 800 g |"]);
    none_in(&content, &["Imprint", "Home"]);
    // A thread of a forum.
    let posts: String = (1..=5)
        .map(|n| format!("<div class=post><div class=author>User{n}</div><div class=body><p>Answer {n}: {PARAGRAPH}</p></div></div>"))
        .collect();
    let content =
        markdown(&format!("<html><body><div id=thread><h1>Which tea?</h1>{posts}</div></body></html>"));
    all_in(&content, &["Answer 1", "Answer 2", "Answer 3", "Answer 4", "Answer 5"]);
    // A form around all of the page.
    let page = format!(
        "<body><form action=x><div><h2>A</h2><p>{PARAGRAPH}</p><h2>B</h2><p>{0}</p></div></form>",
        PARAGRAPH.repeat(4)
    );
    all_in(&markdown(&page), &["## A", "Leaves", "## B", "Leaves"]);
    // A page in one `pre`.
    let page =
        format!("<html><body><pre>RFC\n\n  1. Tea\n\n{}</pre></body></html>", "     a  line\n".repeat(300));
    assert_eq!(markdown(&page).matches("     a  line").count(), 300);
}

#[test]
fn reads_next_to_nothing() {
    for (page, expected) in [
        ("", ""),
        (" \n", ""),
        ("<p>", ""),
        ("Only text", "Only text"),
        ("<h1>A</h1>", "# A"),
        ("<p>one<br>two<td>three<p>four", "one\ntwo three\n\nfour"),
        ("<body hidden><p>Scripts show this.</p></body>", "Scripts show this."),
        ("<img alt=x>", ""),
        ("<script>x", ""),
        ("<!-- x", ""),
        ("&lt;p&gt; &amp;amp; &nbsp;&#xe9;&#0;", "<p> &amp; é\u{fffd}"),
        ("\u{feff}<p>a</p>", "a"),
    ] {
        assert_eq!(markdown(page), expected, "{page}");
    }
}

#[test]
fn keeps_what_follows_a_span() {
    let table = "<table><caption>Sizes</caption><tr><th rowspan=2>Name<th colspan=2>Size<tr><th>W<th>H<tr><td>A<td>10<td>20
        <tr><td colspan=3>Large<tr><td>B<td>11<td>21</table>";
    let nested = "<table><tr><td>C<td><table><tr><td>D<td>E<tr><td>F<td>G</table><tr><td>H<td>I</table>";
    for main in ["main", "article", "div class=content", "div role=main"] {
        let name = main.split(' ').next().unwrap();
        let content = markdown(&format!(
            "<title>Tea</title><{main}><h1>About tea</h1><p>{PARAGRAPH}</p>{table}<ul><li>x<li>y</ul><p>z</p>{nested}<p>j</p><p>{PARAGRAPH}</p></{name}>"
        ));
        let rows = [
            "| A | 10 | 20 |",
            "| Large |",
            "| B | 11 | 21 |",
            "- x\n- y",
            "\nz\n",
            "C",
            "| D | E |",
            "H",
            "I",
            "\nj\n",
        ];
        all_in(&content, &rows);
        assert_eq!(content.matches("Large").count(), 1);
    }
}

#[test]
fn reads_all_of_the_chosen_element() {
    let parts: String = (1..=4).map(|n| format!("<div><p>Part {n}. {PARAGRAPH}</p></div>")).collect();
    for open in ["<div class=entry-content>", "<div id=content>", "<div class=post><div class=post-content>"]
    {
        let beside = format!("<div class=x><p>Beside. {PARAGRAPH}</p></div>");
        let content = markdown(&format!("<title>Tea</title><body>{open}{parts}</div></div>{beside}"));
        all_in(&content, &["Part 1", "Part 2", "Part 3", "Part 4"]);
        none_in(&content, &["Beside"]);
    }
}

#[test]
fn keeps_text_of_any_element() {
    let content = markdown(&format!(
        "<main><h1>Tea</h1><p>{PARAGRAPH}</p><ul><li><time>3 May</time>: a walk</li></ul><figure><img src=a><figcaption>A cup</figcaption></figure>
        <p>Was <s>10</s> now <ins>8</ins>; <del>gone</del>. <output>42</output> <data value=1>one</data> <meter>3 of 5</meter></p>
        <fieldset><legend>Kinds</legend><label>green</label></fieldset><p>{PARAGRAPH}</p></main>"
    ));
    all_in(&content, &["- 3 May: a walk", "A cup", "Was now 8; ~~gone~~. 42 one 3 of 5", "Kinds", "green"]);
}

#[test]
fn keeps_the_only_content_of_a_page() {
    for (open, close) in [
        ("<body class='home cookie-consent-enabled'>", "</body>"),
        ("<body><div class='page gdpr'>", "</div>"),
        ("<body><aside>", "</aside>"),
        ("<body><div class=sidebar>", "</div>"),
        ("<body><div id=comments>", "</div>"),
        ("<body><form>", "</form>"),
    ] {
        let content =
            markdown(&format!("{open}<h1>About tea</h1><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>{close}"));
        assert_eq!(content.matches("Leaves of one plant").count(), 2, "{open}");
    }
}

#[test]
fn says_that_nothing_is_left() {
    for (page, expected) in [
        (
            "<nav><a href=/>Home</a></nav><footer>Imprint</footer>",
            "the page has no text of its own, only: navigation, footer",
        ),
        ("<img alt=x>", "the page has no text that is shown"),
    ] {
        let text = read(page.as_bytes(), "a.html");
        assert_eq!(text.pages[0].content, "");
        assert_eq!(text.pages[0].error.as_deref(), Some(expected));
    }
}

#[test]
fn decodes_pages() {
    for (bytes, expected) in [
        (b"<meta charset=windows-1252><p>caf\xe9 \x80".as_slice(), "café €"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html><p>\xb1\xe6", "ąć"),
        (b"<meta http-equiv=content-type content='text/html; charset=utf-8'><p>caf\xc3\xa9", "café"),
        // What is declared is wrong.
        (b"<meta charset=utf-8><p>caf\xe9 au lait, s'il vous pla\xeet", "café au lait, s'il vous plaît"),
        (b"<p>caf\xc3\xa9", "café"),
        (b"\xff\xfe<\0p\0>\0\xe9\0", "é"),
    ] {
        assert_eq!(read(bytes, "a.html").pages[0].content, expected);
    }
}
