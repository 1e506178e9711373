use dom_query::Document;

use super::*;

/// The names of the rules that remove something from the content of a page.
fn removed(html: &str, part: Part) -> Vec<&'static str> {
    let document = Document::from(html);
    let body = document.body().unwrap();
    let measures = Measures::of(&body);
    let page = Page { measures: &measures, title: Some("About tea - Leaves"), part, is_forum: false };
    cut(&[body], &page).rules()
}

const TEXT: &str = "<p>Leaves of one plant become green or black tea: black tea is fully oxidized, green tea is steamed.</p>";

#[test]
fn each_rule_removes_what_it_names() {
    for (html, rule) in [
        ("<nav>a</nav>", "navigation"),
        ("<ul role=menubar><li>a</ul>", "navigation"),
        ("<ol class=breadcrumb><li>a</ol>", "breadcrumbs"),
        ("<div role=dialog>a</div>", "dialog"),
        ("<form>a</form>", "form"),
        ("<button>a</button>", "form"),
        ("<footer>a</footer>", "footer"),
        ("<header>a</header>", "header"),
        ("<div><aside>a</aside></div>", "aside"),
        ("<div id=cookie-banner>a</div>", "cookie notice"),
        ("<div class=gdpr>a</div>", "cookie notice"),
        ("<div class=site-nav>a</div>", "menu"),
        ("<div class=navheader>a</div>", "menu"),
        ("<div class=relatedPosts>a</div>", "related"),
        ("<div class=you_may_also_like>a</div>", "related"),
        ("<div class='x social-icons'>a</div>", "share"),
        ("<div id=comments>a</div>", "comments"),
        ("<div class=newsletter-box>a</div>", "subscription"),
        ("<div class=ad-top>a</div>", "advertisement"),
        ("<div class=right-sidebar>a</div>", "sidebar"),
        ("<div id=docs-sidebar>a</div>", "sidebar"),
        ("<div class=copyright>a</div>", "imprint"),
        ("<div class=author-bio>a</div>", "author"),
        ("<span class=byline>a</span>", "author"),
        ("<span class=photo-credit>a</span>", "credit"),
        ("<h1>About  Tea</h1>", "headline"),
        ("<ul><li><a href=/a>Coffee</a><li><a href=/b>Cocoa</a></ul>", "list of links"),
        ("<p>Share on <a href=/f>Facebook</a> <a href=/t>Twitter</a></p>", "share buttons"),
        ("<p>By Ann Example and Bob Example</p>", "byline"),
        ("<p>Published <time>3 May</time></p>", "date of publication"),
        ("<div><time itemprop=datePublished>3 May</time></div>", "date of publication"),
        ("<p>Photo: Ann Example</p>", "picture credit"),
    ] {
        assert_eq!(removed(&format!("{TEXT}{html}{TEXT}"), Part::Article), [rule], "{html}");
    }
}

#[test]
fn text_is_left_alone() {
    for html in [
        "<p><time>3 May</time> a walk</p>",
        "<p><time>3 May</time></p>",
        "<div class=elementor-widget-text>a</div>",
        "<div class='post author-ann'>a</div>",
        "<div class=commentary>a</div>",
        "<div class=shared-values>a</div>",
        "<div class=menus>a</div>",
        "<div class=unrelated>a</div>",
        "<div class=wp-caption>a</div>",
        "<p class=caption>a</p>",
        "<p>By the end of the day.</p>",
        "<p>Print</p>",
        "<h3>Email</h3>",
        "<h2>About Tea</h2>",
        "<table><tr><td><div><a href=/a>Coffee</a></div><td>1<tr><td><a href=/b>Cocoa</a><td>2</table>",
        "<p><a href=/a>Coffee</a></p>",
        "<label>a</label><output>b</output>",
        "<aside>a</aside><p>b</p>",
        "<aside class=note>a</aside>",
    ] {
        assert_eq!(removed(&format!("{TEXT}{html}{TEXT}"), Part::Article), [""; 0], "{html}");
    }
    // Documentation consists of links, and its first heading is part of it.
    let links = "<ul><li><a href=/a>Coffee</a><li><a href=/b>Cocoa</a></ul><h1>About tea</h1>";
    assert_eq!(removed(&format!("{TEXT}{links}{TEXT}"), Part::Content), [""; 0]);
}

#[test]
fn a_name_never_removes_the_content() {
    for name in [
        "cookie-consent",
        "page consent-given",
        "sidebar",
        "comments",
        "share",
        "widget",
        "footer",
        "legal",
        "menu",
        "author-box",
    ] {
        for html in [
            format!("<div class='{name}'>{TEXT}{TEXT}</div><p>Other</p>"),
            format!("<div id='{name}'><main>{TEXT}</main></div>{TEXT}{TEXT}{TEXT}"),
            format!("<main class='{name}'>{TEXT}</main>{TEXT}{TEXT}{TEXT}"),
        ] {
            assert_eq!(removed(&html, Part::Article), [""; 0], "{html}");
        }
    }
    // Other content says that it is the content.
    let html =
        format!("<div class=cookie-consent>{TEXT}{TEXT}{TEXT}{TEXT}</div><main>{TEXT}{TEXT}{TEXT}</main>");
    assert_eq!(removed(&html, Part::Page), ["cookie notice"]);
}
