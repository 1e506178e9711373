use dom_query::Document;

use super::*;

fn markdown(html: &str) -> String {
    write(&Document::from(html).body().unwrap())
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
fn writes_lists() {
    for (html, expected) in [
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("x<ol start=9><li>a<li><p>b<p>c</ol>y", "x\n\n9. a\n10. b\n\n   c\n\ny"),
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>e", "- a\n  - b\n  - c\n- d\n\ne"),
        ("<ul><li></li><li>b</ul>", "- b"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n- b"),
        ("<ul><li><pre>a\n\n  b</pre></ul>", "- ```\n  a\n\n    b\n  ```"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<ul><ul><li>a</ul></ul>", "- a"),
        ("<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<li>a<li>b", "- a\n- b"),
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
