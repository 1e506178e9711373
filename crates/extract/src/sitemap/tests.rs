use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

const URL: &str = "https://example.org/sitemap.xml";

fn read_bytes(bytes: &[u8]) -> Result<Sitemap, Failure> {
    read(&File { bytes, ..File::default() }, URL)
}

fn pages(text: &str) -> Vec<String> {
    let sitemap = read_bytes(text.as_bytes()).unwrap();
    assert!(sitemap.complete && sitemap.sitemaps.is_empty(), "{text}");
    sitemap.pages
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const SITEMAP: &str = "<?xml version='1.0' encoding='UTF-8'?>
    <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>
    <url><loc> https://example.org/a?b=1&amp;c=2#d
    </loc><lastmod>2024-01-01</lastmod>
    <image:image><image:loc>https://example.org/a.png</image:loc></image:image></url>
    <url><loc><![CDATA[https://example.org/b]]></loc></url>
    <url><loc>/c</loc></url><url><loc/></url><url><loc>javascript:x</loc></url><url><loc>https://example.org/b</loc></url>
    </urlset>";

#[test]
fn reads_sitemaps() {
    let expected = ["https://example.org/a?b=1&c=2", "https://example.org/b", "https://example.org/c"];
    assert_eq!(pages(SITEMAP), expected);
    let prefixed = SITEMAP.replace("<url", "<s:url").replace("</url", "</s:url").replace("loc>", "s:loc>");
    assert_eq!(pages(&prefixed.replace("image:s:loc", "image:loc").replace("<s:loc/", "<loc/")), expected);
    let wide: Vec<u8> = format!("\u{feff}{SITEMAP}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [zip(SITEMAP.as_bytes()), zip(&wide), wide] {
        assert_eq!(read_bytes(&bytes).unwrap().pages, expected);
    }
    let empty = read_bytes(b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>").unwrap();
    assert_eq!(empty, Sitemap { complete: true, ..Sitemap::default() });
}

#[test]
fn reads_an_index() {
    let index = "<sitemapindex><sitemap><loc>https://example.org/1.xml.gz</loc></sitemap>
        <sitemap><loc>2.xml</loc></sitemap></sitemapindex>";
    let sitemap = read_bytes(index.as_bytes()).unwrap();
    assert_eq!(sitemap.sitemaps, ["https://example.org/1.xml.gz", "https://example.org/2.xml"]);
    assert!(sitemap.pages.is_empty() && sitemap.complete);
}

#[test]
fn reads_feeds() {
    let rss = "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel><link>https://example.org/</link>
        <atom:link href='https://example.org/feed' rel='self'/><image><link>https://example.org/</link></image>
        <item><title>A</title><link>https://example.org/a</link><enclosure url='https://example.org/a.mp3'/>
        <atom:link href='https://example.org/self' rel='self'/></item><item><link>/b</link></item></channel></rss>";
    assert_eq!(pages(rss), ["https://example.org/a", "https://example.org/b"]);
    let rdf = "<rdf:RDF xmlns:rdf='x'><channel><link>https://example.org/</link></channel>
        <item><link>https://example.org/a</link></item></rdf:RDF>";
    assert_eq!(pages(rdf), ["https://example.org/a"]);
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://example.org/'/>
        <entry><link rel='alternate' href='https://example.org/a?b&amp;c'/><link rel='edit' href='https://example.org/edit'/>
        <content type='xhtml'><a href='https://example.org/no'/></content></entry>
        <entry><link href='b'/></entry></feed>";
    assert_eq!(pages(atom), ["https://example.org/a?b&c", "https://example.org/b"]);
}

#[test]
fn reads_lines() {
    let text = "\u{feff}https://example.org/a\r\n\r\n  https://example.org/b  \nno address\n/c\nhttps://example.org/a\n";
    assert_eq!(pages(text), ["https://example.org/a", "https://example.org/b"]);
}

#[test]
fn keeps_what_was_before_the_damage() {
    let cut = SITEMAP.find("<url><loc>/c").unwrap();
    for damaged in [
        SITEMAP[..cut].to_owned(),
        SITEMAP.replace("</loc></url><url><loc/>", "</loc></wrong><url><loc/>"),
        format!("{}<urlset <<< ", &SITEMAP[..cut]),
    ] {
        let sitemap = read_bytes(damaged.as_bytes()).unwrap();
        assert!(sitemap.pages.len() >= 2 && !sitemap.complete, "{damaged}");
    }
    let many: String = (0..5000).map(|n| format!("<url><loc>/{n}</loc></url>")).collect();
    let packed = zip(format!("<urlset>{many}</urlset>").as_bytes());
    let sitemap = read_bytes(&packed[..packed.len() / 2]).unwrap();
    assert!(sitemap.pages.len() > 1000 && !sitemap.complete);
    // A checksum that is wrong.
    let sitemap = read_bytes(&packed[..packed.len() - 1]).unwrap();
    assert!(sitemap.pages.len() == 5000 && !sitemap.complete);
}

#[test]
fn says_what_is_no_sitemap() {
    let packed = zip(b"<urlset/>");
    for bytes in [
        b"".as_slice(),
        b" \n",
        b"Not found",
        b"<!doctype html><html><body><a href=/a>a</a></body></html>",
        b"<html><url><loc>https://example.org/</loc></url></html>",
        b"<urlset><url><loc>https://example.org/a",
        b"<urlset>",
        b"<",
        b"%PDF-1.7",
        &packed[..4],
        b"\x1f\x8bnot packed",
    ] {
        assert!(matches!(read_bytes(bytes), Err(Failure::Damaged(_))), "{}", bytes.escape_ascii());
    }
}

#[test]
fn bounds_what_it_reads() {
    let many = |count: usize, tag: &str| -> String {
        (0..count).map(|n| format!("<{tag}><loc>https://example.org/{n}</loc></{tag}>")).collect()
    };
    let exact = read_bytes(format!("<urlset>{}</urlset>", many(MAX_PAGES, "url")).as_bytes()).unwrap();
    assert!(exact.pages.len() == MAX_PAGES && exact.complete);
    let more = read_bytes(format!("<urlset>{}</urlset>", many(MAX_PAGES + 1, "url")).as_bytes()).unwrap();
    assert!(more.pages.len() == MAX_PAGES && !more.complete);
    let more = format!("<sitemapindex>{}</sitemapindex>", many(MAX_SITEMAPS + 1, "sitemap"));
    let more = read_bytes(more.as_bytes()).unwrap();
    assert!(more.sitemaps.len() == MAX_SITEMAPS && !more.complete);
    let lines: String = (0..=MAX_PAGES).map(|n| format!("https://example.org/{n}\n")).collect();
    let lines = read_bytes(lines.as_bytes()).unwrap();
    assert!(lines.pages.len() == MAX_PAGES && !lines.complete);
    // An address as long as the file, in one piece and in many.
    for part in ["a", "&amp;"] {
        let long = format!(
            "<urlset><url><loc>https://example.org/{}</loc></url><url><loc>/b</loc></url></urlset>",
            part.repeat(1_000_000)
        );
        assert_eq!(pages(&long), ["https://example.org/b"]);
    }
    let deep = format!("<urlset><url><loc>/a</loc></url>{}", "<a>".repeat(100_000));
    assert!(!read_bytes(deep.as_bytes()).unwrap().complete);
    let bomb = zip(&vec![b' '; (MAX_BYTES + 1) as usize]);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(read_bytes(&bomb), Err(Failure::Limit("it is larger than 50 MB".into())));
}

#[test]
fn expands_no_entities() {
    let mut entities = String::from("<!ENTITY a0 'https://example.org/'>");
    for n in 1..20 {
        entities.push_str(&format!("<!ENTITY a{n} '&a{};&a{};'>", n - 1, n - 1));
    }
    let sitemap = format!(
        "<?xml version='1.0'?><!DOCTYPE urlset [{entities}<!ENTITY x SYSTEM 'file:///etc/passwd'>]>
        <urlset><url><loc>/a&a19;</loc></url><url><loc>/b&x;</loc></url><url><loc>&#47;c&#x2F;</loc></url></urlset>"
    );
    assert_eq!(pages(&sitemap), ["https://example.org/a", "https://example.org/b", "https://example.org/c/"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A changed sitemap is read or refused, and what is found keeps its promises.
    #[test]
    fn accepts_any_change(at: prop::sample::Index, part in "(<|>|/|&|;|url|loc|link|item|\\PC){0,6}", cut in 0..40_usize, packed: bool) {
        let mut bytes = if packed { zip(SITEMAP.as_bytes()) } else { SITEMAP.as_bytes().to_vec() };
        let at = at.index(bytes.len());
        let end = bytes.len().min(at + cut);
        bytes.splice(at..end, part.bytes());
        if let Ok(sitemap) = read_bytes(&bytes) {
            for url in &sitemap.pages {
                prop_assert!(url.starts_with("http") && url.len() <= MAX_URL_BYTES);
            }
        }
    }
}
