use dom_query::Document;

use super::*;

fn markdown(html: &str) -> String {
    let document = Document::from(html);
    let body = document.body().unwrap();
    write(&[body], &Cut::default(), &Measures::of(&body))
}

#[test]
fn writes_blocks() {
    for (html, expected) in [
        ("", ""),
        ("<p>a\n  b</p><p>c</p>", "a b\n\nc"),
        ("<h1>A <b>b</b></h1>x<h3>C</h3>", "# A b\n\nx\n\n### C"),
        ("<h2><a href=#a>A</a><a href=#a>¶</a></h2><h2></h2>", "## A"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("a<br>b <br> c<br><br>d", "a\nb\nc\n\nd"),
        ("<dl><dt>a<dd>b</dl>", "a\n\nb"),
        ("<p>a<b>b</b>c <a href=x>d</a>e<wbr>f</p>", "abc def"),
        ("a<hr>b", "a\n\nb"),
        ("<blockquote><p>a<p>b</blockquote><p>c", "> a\n>\n> b\n\nc"),
        ("a<blockquote><p></p><p>b</blockquote><blockquote><ul><li>c</ul></blockquote>", "a\n\n> b\n\n> - c"),
        (
            "<p>a <time>b</time>, <ins>c</ins> <output>d</output> <label>e</label><label>f</label> <meter>g</meter>",
            "a b, c d e f g",
        ),
        ("<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>", "a(b)"),
        ("<p>s\u{ad}o\u{200b}ft&shy; &nbsp; x\u{200d}y\u{c}z\0</p>", "soft x\u{200d}y z"),
        ("<p>a &amp; b &lt;c&gt; &eacute;</p>", "a & b <c> é"),
        ("<script>a</script><style>b</style><p>c</p>", "c"),
        ("<img alt=a src=b><p>c</p>", "c"),
        ("<p># a<p>``` b<p>---<p>#c", "\\# a\n\n\\``` b\n\n\\---\n\n#c"),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn strikes_what_no_longer_holds() {
    for (html, expected) in [
        ("a <del>b</del> c", "a ~~b~~ c"),
        ("a<del> b </del>c", "a ~~b~~ c"),
        ("<del></del>a<del> </del>b", "a b"),
        ("was <del>10</del> <ins>8</ins>", "was 8"),
        ("was <s>10</s> now <ins>8</ins> euro", "was now 8 euro"),
        ("<ins>8</ins> not <del>10</del>", "8 not ~~10~~"),
        ("<del>a</del>. <ins>b</ins>", "~~a~~. b"),
        ("<del>a</del><br><ins>b</ins>", "~~a~~\nb"),
        ("<del><p>a</p><p>b</p></del><p>c", "~~a~~\n\n~~b~~\n\nc"),
        ("<del><p>a</p></del><ins><p>b</p></ins>", "b"),
        ("<del>a <del>b</del></del>", "~~a b~~"),
        ("<ul><li><del>a</del><li>b</ul>", "- ~~a~~\n- b"),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn references_do_not_stick() {
    for (html, expected) in [
        (
            "a<sup>[1]</sup><sup>[2]</sup><sup>[<i>citation needed</i>]</sup> b",
            "a [1] [2] [citation needed] b",
        ),
        ("a<a href=#c>[1]</a> b", "a [1] b"),
        ("a<sup><a href=#c>1</a></sup> b", "a [1] b"),
        ("a<a href=#c><sup>1</sup></a> b", "a [1] b"),
        ("a<a href=#c role=doc-noteref>*</a> b", "a [*] b"),
        ("10<sup>5</sup> cells, 3×10<sup>-8</sup>, 2<sup> 10 </sup>bits", "10⁵ cells, 3×10⁻⁸, 2¹⁰ bits"),
        ("5<sup>1</sup>/<sub>2</sub> cups in 2019<sup>3</sup>", "5¹/2 cups in 2019³"),
        ("m<sup>2</sup>, 1<sup>st</sup>, 7 <sup>8</sup>", "m2, 1st, 7 8"),
        ("5 km<sup>2</sup> 1<sup>st</sup>", "5 km2 1st"),
        ("a<a href=/b>b</a>", "ab"),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn headings_end_with_their_box() {
    let text = format!("<p>{}</p>", "c".repeat(40));
    for tag in [
        "div class=note",
        "div class='admonition warning'",
        "div class=markdown-alert-tip",
        "section class=callout-box",
        "blockquote",
        "figure",
        "aside",
        "details class=admonition",
    ] {
        let name = tag.split(' ').next().unwrap();
        let written = markdown(&format!("<h2>a</h2><{tag}><h3>b</h3></{name}>{text}"));
        assert!(
            written.contains("## a") && written.contains("**b**") && !written.contains("#b"),
            "{tag}: {written}"
        );
        assert!(!written.contains("### b"), "{tag}: {written}");
    }
    for tag in ["section", "article", "main", "div", "div class=footnotes", "div class=content-notes-list"] {
        let name = tag.split(' ').next().unwrap();
        assert!(markdown(&format!("<{tag}><h3>b</h3></{name}>{text}")).contains("### b"), "{tag}");
    }
    // A cell with most of the text arranges the page.
    assert_eq!(
        markdown(&format!("<table><tr><td><h2>a</h2>{text}<td>b</table>")).lines().next(),
        Some("## a")
    );
    assert_eq!(
        markdown(&format!("<table><tr><td><h2>a</h2>b<td>{text}</table>")).lines().next(),
        Some("**a**")
    );
}

#[test]
fn writes_lists() {
    for (html, expected) in [
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("x<ol start=9><li>a<li><p>b<p>c</ol>y", "x\n\n9. a\n10. b\n\n    c\n\ny"),
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>e", "- a\n  - b\n  - c\n- d\n\ne"),
        ("<ul><li></li><li>b</ul>", "- b"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n- b"),
        ("<ul><li><pre>a\n\n  b</pre></ul>", "- ```\n  a\n\n    b\n  ```"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<ul><ul><li>a</ul></ul>", "- a"),
        ("<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<li>a<li>b", "- a\n- b"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol start=-1><li>a<li>b</ol>", "-1. a\n0. b"),
        ("<ol start=10><li>a<ol type=a><li>b<li>c</ol><li>d</ol>", "10. a\n    a. b\n    b. c\n11. d"),
        ("<ol type=I start=4><li>a<li>b</ol>", "IV. a\nV. b"),
        ("<ol start=99999999999><li>a</ol>", "1. a"),
        ("<ul><li value=7>a</ul>", "- a"),
        ("<ul><li><h2>a</h2>b</ul>", "- ## a\n\n  b"),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn writes_code() {
    for (html, expected) in [
        ("<p>a <code>b_c</code>, <code> d</code>e</p>", "a `b_c`, `d`e"),
        ("<code>a`b</code> <code></code>", "a`b"),
        ("<pre>\nfn a() {\n\n    b\n}\n</pre>", "```\nfn a() {\n\n    b\n}\n```"),
        ("<pre><code class='x language-rust'>a &lt;b&gt;</code></pre>", "```rust\na <b>\n```"),
        ("<pre>a<br>b<span>c</span>\t`d`</pre>", "```\na\nbc\t`d`\n```"),
        ("<pre>````</pre>", "`````\n````\n`````"),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
        ("<pre> </pre>", ""),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn writes_tables() {
    for (html, expected) in [
        (
            "<table><caption>T</caption><tr><th>a<th>b|c<tr><td>d<td><p>e<p>f<br>g</table>x",
            "T\n\n| a | b\\|c |\n| --- | --- |\n| d | e f g |\n\nx",
        ),
        (
            "<table><thead><tr><th>a<th>b<th>c</thead><tr><td rowspan=2>d<td colspan=2>e<tr><td>f<td>g</table>",
            "| a | b | c |\n| --- | --- | --- |\n| d | e |\n|  | f | g |",
        ),
        ("<table><tr><td>a<td>b</table>", "a\n\nb"),
        (
            "<table><tr><td>a<td>b:<ul><li>c<li>d</ul>e<tr><td><ol><li>f<li>g</ol><td><h4>h</h4></table>",
            "| a | b: c; d; e |\n| --- | --- |\n| 1. f; 2. g | **h** |",
        ),
        (
            "<table><tr><th colspan=2>a<tr><td>b<td>c<tr><td colspan=2>d<tr><td>e<td>f</table>",
            "| a |  |\n| --- | --- |\n| b | c |\n| d |\n| e | f |",
        ),
        ("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"),
        ("<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>d</table></table>", "a\n\nb\n\nc\n\nd"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        (
            "<ul><li><table><tr><td>a<td>b<tr><td>c<td>d</table></ul>",
            "- | a | b |\n  | --- | --- |\n  | c | d |",
        ),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn bounds_what_it_writes() {
    let deep = format!("{}{}", "<blockquote><ul><li>".repeat(40), "a<br>".repeat(1000));
    assert!(markdown(&deep).len() < 1000 * (2 * MAX_DEPTH + 3));
    let wide = format!("<table><tr>{}{}</table>", "<td>a".repeat(60), "<tr><td>a".repeat(10_000));
    assert!(markdown(&wide).len() < 200_000);
}
