//! What pages say to a crawler.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

#[path = "common/quick.rs"]
mod quick;
#[path = "common/soup.rs"]
mod soup;

use kb_rag_core::extract_protocol::{MAX_LINKS, MAX_URL_BYTES, WebPage};
use kb_rag_extract::{File, Text, extract, extract_page};
use proptest::prelude::*;
use quick::quick;

const URL: &str = "https://example.org/docs/page?q#f";

fn read(page: &[u8]) -> Text {
    extract_page(&File { bytes: page, mime_type: Some("text/html"), ..File::default() }, URL).unwrap()
}

fn web(page: &str) -> WebPage {
    read(page.as_bytes()).properties.web.unwrap()
}

#[test]
fn finds_links_wherever_they_are() {
    let page = "<html><head><link rel='next' href=2><link rel=stylesheet href=x.css><link rel='Prev start' href=0></head><body>
        <nav><ul><li><a href=/menu>Menu</a></ul></nav><p hidden><a href=hidden>x</a>
        <main><p>Text with <a href='../a#b'>a link</a>, <a href='../a#c'>again</a>, <a name=x>none</a>.
        <a rel='noopener NoFollow' href=/advertisement>x</a><a href=mailto:a@example.org>x</a><a href='javascript:x()'>x</a>
        <map><area href=/area><area rel=nofollow href=/no></map><a href=' https://other.example/x?y&amp;z '>x</a></main>
        <footer><form><button><a href=/imprint>Imprint</a></button></form></footer>";
    let web = web(page);
    let expected = [
        "https://example.org/docs/2",
        "https://example.org/docs/0",
        "https://example.org/menu",
        "https://example.org/docs/hidden",
        "https://example.org/a",
        "https://example.org/area",
        "https://other.example/x?y&z",
        "https://example.org/imprint",
    ];
    assert_eq!(web, WebPage { links: expected.map(str::to_owned).to_vec(), ..WebPage::default() });
    // Its text is that without a crawler.
    let plain = extract(&File { bytes: page.as_bytes(), mime_type: Some("text/html"), ..File::default() });
    let plain = plain.unwrap();
    assert_eq!(plain.properties.web, None);
    assert_eq!(plain.pages, read(page.as_bytes()).pages);
}

#[test]
fn resolves_against_the_base() {
    for (base, expected) in [
        ("", "https://example.org/docs/a"),
        ("<base href=/v2/>", "https://example.org/v2/a"),
        (
            "<base target=_top><base href='https://cdn.example/x/y'><base href=/v3/>",
            "https://cdn.example/x/a",
        ),
        ("<base href='javascript:x'>", "https://example.org/docs/a"),
        ("<base href='data:text/html,x'>", "https://example.org/docs/a"),
    ] {
        let page = format!(
            "<head>{base}<link rel=canonical href=a><meta http-equiv=refresh content='0;url=a'></head><a href=a>a</a>"
        );
        let web = web(&page);
        assert_eq!(web.links, [expected], "{base}");
        assert_eq!(web.canonical.as_deref(), Some(expected), "{base}");
        assert_eq!(web.refresh.as_deref(), Some(expected), "{base}");
    }
    // Without an address of its own, a page has absolute links only.
    let file = File {
        bytes: b"<a href=a>a</a><a href=//b/>b</a><a href=http://c/>c</a>",
        mime_type: Some("text/html"),
        ..File::default()
    };
    let web = extract_page(&file, "no address").unwrap().properties.web.unwrap();
    assert_eq!(web.links, ["http://c/"]);
}

#[test]
fn takes_the_canonical_address_of_the_head() {
    for (page, expected) in [
        ("<head><link rel=Canonical href=/a#b></head>", Some("https://example.org/a")),
        ("<link rel='alternate canonical' href=//b.example>", Some("https://b.example/")),
        ("<link rel=canonical href='ftp://x/'><link rel=canonical href=/a>", Some("https://example.org/a")),
        ("<link rel=canonical><link rel=alternate href=/a>", None),
        ("<p>x</p><link rel=canonical href=/a>", None),
    ] {
        assert_eq!(web(page).canonical.as_deref(), expected, "{page}");
    }
}

#[test]
fn respects_directives_for_robots() {
    let words = "Words enough for a text of a page.";
    for (meta, noindex, nofollow) in [
        ("", false, false),
        ("<meta name=robots content='index, follow'>", false, false),
        ("<meta name=Robots content='NOINDEX'>", true, false),
        ("<meta name=robots content='noarchive,nofollow'>", false, true),
        ("<meta name=kb_rag content=none>", true, true),
        ("<meta name=robots content=noindex><meta name=kb_rag content='all nofollow'>", true, true),
        ("<meta name=otherbot content=none>", false, false),
        ("<meta name=robots content='none-such'>", false, false),
        ("<meta property=robots content=none><!-- <meta name=robots content=none> -->", false, false),
    ] {
        let page = format!("<title>T</title>{meta}<p>{words} <a href=/a>a</a>");
        let text = read(page.as_bytes());
        let web = text.properties.web.unwrap();
        assert_eq!((web.noindex, web.nofollow), (noindex, nofollow), "{meta}");
        assert_eq!(web.links.is_empty(), nofollow, "{meta}");
        assert_eq!(text.pages.len(), 1);
        assert_eq!(text.pages[0].content.contains(words), !noindex, "{meta}");
        assert!(!noindex || text.pages[0].content.is_empty());
        assert_eq!(text.properties.title.as_deref(), Some("T"));
    }
}

#[test]
fn finds_where_a_page_leads_its_readers() {
    for (content, expected) in [
        ("0; URL=/next#x", Some("https://example.org/next")),
        ("300; url=/next", None),
        ("5", None),
        ("0; url=javascript:x", None),
        ("0; url=page?q", None),
        ("0; url=", None),
    ] {
        let web = web(&format!("<meta http-equiv='Refresh' content='{content}'>"));
        assert_eq!(web.refresh.as_deref(), expected, "{content}");
    }
    // Browsers that run scripts follow none of these, and the first of two.
    let meta = |url: &str| format!("<meta http-equiv=refresh content='0; url={url}'>");
    for (page, expected) in [
        (format!("<head><noscript>{}</noscript></head><p>x", meta("/no")), None),
        (format!("<body><noscript>{}</noscript><p>x", meta("/no")), None),
        (format!("<template>{}</template><p>x", meta("/no")), None),
        (format!("<!-- {} --><p>x", meta("/no")), None),
        (format!("<p>x<code>{}</code>", meta("/no").replace('<', "&lt;")), None),
        (format!("{}{}<p>x", meta("/a"), meta("/b")), Some("https://example.org/a")),
        (format!("<body><p>x{}", meta("/a")), Some("https://example.org/a")),
        (
            "<meta http-equiv=refresh content='0;URL=\"/a?b=c&amp;d\"'>".to_string(),
            Some("https://example.org/a?b=c&d"),
        ),
    ] {
        assert_eq!(web(&page).refresh.as_deref(), expected, "{page}");
    }
}

#[test]
fn says_nothing_of_other_kinds() {
    for (bytes, mime_type) in
        [(b"# Tea <a href=/a>a</a>".as_slice(), "text/markdown"), (b"<a href=/a>a</a>", "text/plain")]
    {
        let file = File { bytes, mime_type: Some(mime_type), ..File::default() };
        let text = extract_page(&file, URL).unwrap();
        assert_eq!(text.properties.web, None);
        assert_eq!(text, extract(&file).unwrap());
    }
}

#[test]
fn bounds_what_it_finds() {
    let many: String = (0..MAX_LINKS + 10).map(|n| format!("<a href=/{n}>x</a>")).collect();
    let links = web(&many).links;
    assert_eq!((links.len(), links[MAX_LINKS - 1].as_str()), (MAX_LINKS, "https://example.org/4999"));
    let long = "a".repeat(MAX_URL_BYTES);
    let page = format!(
        "<base href='/{long}/'><link rel=canonical href=/{long}><a href=/{long}>x</a><a href=/b>x</a>"
    );
    let web = web(&page);
    assert_eq!((web.canonical, web.links), (None, vec!["https://example.org/b".to_owned()]));
}

/// Many links and a long base: each link would copy it.
#[test]
fn takes_time_in_proportion() {
    let base = "a".repeat(1 << 20);
    let links: String = (0..50_000).map(|n| format!("<a href={n}>x</a>")).collect();
    let page = format!("<base href='/{base}/'><meta name=kb_rag content=noindex>{links}");
    assert_eq!(quick(10, || web(&page)).links.len(), MAX_LINKS);
    let same = "<a href=/same>x</a>".repeat(200_000);
    let page = format!("<meta name=kb_rag content=noindex>{same}");
    assert_eq!(quick(10, || web(&page)).links.len(), 1);
}

fn check(page: &[u8]) -> Result<(), TestCaseError> {
    let Ok(text) = extract_page(&File { bytes: page, mime_type: Some("text/html"), ..File::default() }, URL)
    else {
        return Ok(());
    };
    let Some(web) = text.properties.web else { return Ok(()) };
    let mut seen = std::collections::HashSet::new();
    for url in web.links.iter().chain(&web.canonical).chain(&web.refresh) {
        prop_assert!(url.starts_with("http://") || url.starts_with("https://"));
        prop_assert!(url.len() <= MAX_URL_BYTES && url.is_ascii() && !url.contains(['#', ' ', '\0']));
    }
    prop_assert!(web.links.iter().all(|url| seen.insert(url)) && web.links.len() <= MAX_LINKS);
    prop_assert!(!web.nofollow || web.links.is_empty());
    prop_assert!(!web.noindex || text.pages.iter().all(|page| page.content.is_empty()));
    Ok(())
}

/// A page with all that is read here.
const SAMPLE: &str = "<html><head><base href='/v1/'><link rel=canonical href='/c'><meta name=robots content='noindex'>
    <meta http-equiv=refresh content='0; url=/r'><link rel=next href='2'></head><body><nav><a href='a/b?c=d#e'>x</a></nav>
    <map><area href=//other.example/></map><a rel=nofollow href=no>x</a><a href='http://[::1]:80/'>x</a></body></html>";

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keeps_its_promises_for_any_page(seed in 1..u64::MAX) {
        let mut random = soup::Random(seed);
        check(&soup::mutate(SAMPLE.as_bytes(), &mut random))?;
        check(&soup::soup(&mut random))?;
    }

    #[test]
    fn keeps_its_promises_for_any_address(href in "\\PC{0,60}", base in "\\PC{0,30}", content in "\\PC{0,30}") {
        let page = format!(
            "<base href=\"{base}\"><meta http-equiv=refresh content=\"{content}\"><meta name=robots content=\"{content}\"><a href=\"{href}\">x</a>"
        );
        check(page.as_bytes())?;
    }
}
