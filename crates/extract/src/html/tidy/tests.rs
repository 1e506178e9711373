use super::*;

#[test]
fn leaves_ordinary_pages_alone() {
    for page in [
        "",
        "text & <p>text &amp; more",
        "<!DOCTYPE html><html lang=\"en\"><head><title>A &lt; b</title></head><body><p>x</p></body></html>",
        "<ul><li>a<li>b<ul><li>c</ul></ul>",
        "<table><tr><td>a</td><td>b<tr><th>c</table>",
        "<p>a<br/>b<img src=\"a.png\" alt=\"\u{e9} > b\"/></p>",
        "<svg><path d=\"M1\"/><circle/></svg>",
    ] {
        let expected = page.replace("</html>", "").replace("</body>", "").replace("</head>", "");
        assert_eq!(tidy(page), expected);
    }
}

#[test]
fn leaves_out_what_is_not_read() {
    for (page, expected) in [
        ("a<!-- <p> -->b<!-->c<!--->d<!-- e --!>f<!-- g", "abcdf"),
        ("a<script>if (a</b>) \"</p>\"</script>b", "a<script></script>b"),
        ("a<script><!-- <script>x</script> --></script>b", "a<script></script>b"),
        (
            "a<SCRIPT type='application/ld+json'>{}</Script >b",
            "a<script type=\"application/ld+json\">{}</script>b",
        ),
        ("a<style>p { }</style>b<noscript><p>c</noscript>d<textarea><p></textarea>e", "abde"),
        ("a<select name=x><option>b<option selected>c</select>d", "ad"),
        ("a<select><option>b<p>c", "a<p>c"),
        ("a<xmp><b> &amp;</xmp>b", "a<pre>&lt;b> &amp;amp;</pre>b"),
        ("a<?xml version=\"1.0\"?>b<![CDATA[c]]>d</ e>f", "abdf"),
        ("<svg><![CDATA[<p>c]]></svg>d", "<svg></svg>d"),
        ("<b class=x>a</b> <strong>c</STRONG>", "<span class=\"x\">a</span> <span>c</span>"),
        ("a < b <3 <> c", "a &lt; b &lt;3 &lt;> c"),
        ("a <b", "a "),
        ("a</p>b</br>c</div>", "ab<br>c"),
        ("<td>a</td><td>b", " a b"),
        ("<a href=x'y title='a\"b' data-\u{e9}=1 =z>c</a>", "<a href=\"x'y\" title=\"a&quot;b\">c</a>"),
    ] {
        assert_eq!(tidy(page), expected, "{page}");
    }
    let image = format!("<img alt=x src=\"data:image/png;base64,{}\">", "A".repeat(100_000));
    assert_eq!(tidy(&image), "<img alt=\"x\">");
    let many = format!("<p {}>a", (0..1000).map(|n| format!("a{n}=1 ")).collect::<String>());
    assert_eq!(tidy(&many).matches('=').count(), 64);
}

#[test]
fn bounds_depth() {
    let depth = |page: &str| {
        let document = dom_query::Document::from(tidy(page));
        let mut deepest = 0;
        let mut at: Vec<_> = document.root().children_it(false).map(|node| (node, 1)).collect();
        while let Some((node, depth)) = at.pop() {
            deepest = deepest.max(depth);
            at.extend(node.children_it(false).map(|child| (child, depth + 1)));
        }
        deepest
    };
    assert!(depth("<div><ul><li><p>text</ul></div>") < 9);
    for bomb in [
        "<div>",
        "<ul><li>",
        "<b>",
        "<b id=1>",
        "<span><div></span>",
        "<table><td>",
        "<div><table><td></div>",
        "<form><div></form>",
        "<a><div></a>",
        "<code><div></code>",
        "<object><table><td></object>",
        "<blockquote><p>",
        "<div><svg><foreignObject></div>",
        "<svg><g>",
        "<math><mi><div></math>",
        "<div><select></div><input>",
        "<span></p>",
        "<dl><dd><dt>",
        "<x-y><p></x-y>",
        "<button><p></p>",
        "<h1><h2></h1>",
        "<template><div></template>",
        "<ruby><rt>",
        "<table><tr><div>",
        "<table><caption><table>",
        "<p><object><p></object>",
        "<dd><div></dd>",
        "<label><li></label>",
        "<fieldset><legend><fieldset></legend>",
        "<details><summary></details>",
    ] {
        let found = depth(&bomb.repeat(600));
        assert!(found < 3 * DEPTH, "{bomb}: {found}");
    }
    // Elements that others close are no depth.
    for page in ["<p><b>x", "<ul><li><i>x</ul>", "<table><tr><td><font>x</table>", "<dl><dt>a<dd>b</dl>"] {
        let long = format!("{}<h1>end</h1>", page.repeat(600));
        assert!(tidy(&long).ends_with("<h1>end</h1>"), "{page}");
    }
}

#[test]
fn keeps_formulas() {
    let page = "<p>A <span class=\"a\"><span style=\"display:none\"><math><mi>A</mi></math></span><img></span> is</p>";
    assert_eq!(tidy(page), page);
}
