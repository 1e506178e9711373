//! Title and language of a PDF file.

use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, Stream, String as PdfString};
use kb_rag_core::extract_protocol::Properties;
use quick_xml::events::Event;

/// The characters of PDFDocEncoding from 0x18 and from 0x80 that are not those of Latin-1 (ISO 32000-1, annex D.2).
const LOW: [char; 8] =
    ['\u{2D8}', '\u{2C7}', '\u{2C6}', '\u{2D9}', '\u{2DD}', '\u{2DB}', '\u{2DA}', '\u{2DC}'];
const HIGH: [char; 33] = [
    '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{192}', '\u{2044}',
    '\u{2039}', '\u{203A}', '\u{2212}', '\u{2030}', '\u{201E}', '\u{201C}', '\u{201D}', '\u{2018}',
    '\u{2019}', '\u{201A}', '\u{2122}', 'ﬁ', 'ﬂ', '\u{141}', '\u{152}', '\u{160}', '\u{178}', '\u{17D}',
    '\u{131}', '\u{142}', '\u{153}', '\u{161}', '\u{17E}', '\u{FFFD}', '\u{20AC}',
];

/// XMP larger than this is not looked at: it is thumbnails and history.
const MAX_XMP: usize = 4 << 20;

/// The properties of a file.
pub fn read(pdf: &Pdf) -> Properties {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let info = pdf.metadata().title.as_deref().map(text);
    let title = info.as_deref().and_then(title).or_else(|| {
        let xmp = catalog.as_ref()?.get::<Stream<'_>>(b"Metadata")?.decoded_data().ok()?;
        title(&xmp_title(&xmp)?)
    });
    let language = catalog.and_then(|dict| language(&text(dict.get::<PdfString<'_>>(b"Lang")?.as_bytes())));
    Properties { title, language, paged: true, ..Properties::default() }
}

/// A text string of a PDF file: UTF-16 or UTF-8 with a byte order mark, else PDFDocEncoding.
pub fn text(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| doc_encoding(*byte)).collect(),
    }
}

fn doc_encoding(byte: u8) -> char {
    let table = |table: &[char], from: u8| table.get(usize::from(byte.wrapping_sub(from))).copied();
    match byte {
        0x18..=0x1F => table(&LOW, 0x18),
        0x80..=0xA0 => table(&HIGH, 0x80),
        _ => Some(char::from(byte)),
    }
    .unwrap_or('\u{FFFD}')
}

/// The first dc:title of an XMP packet.
fn xmp_title(xmp: &[u8]) -> Option<String> {
    let xmp = std::str::from_utf8(xmp.get(..MAX_XMP).unwrap_or(xmp)).ok()?;
    let mut reader = quick_xml::Reader::from_str(xmp);
    let mut inside = false;
    let mut found = String::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) if tag.name().0 == "dc:title" => inside = true,
            Event::End(tag) if inside && matches!(tag.name().0, "rdf:li" | "dc:title") => return Some(found),
            Event::Text(text) if inside => found.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if inside => crate::docx::xml::resolve(&reference, &mut found),
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// A title without what programs add to it; None if nothing is left that names a document.
pub fn title(title: &str) -> Option<String> {
    let words: Vec<&str> =
        title.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let joined = words.join(" ");
    let mut title = joined.as_str();
    if let Some((program, rest)) = title.split_once(" - ")
        && program.starts_with("Microsoft ")
    {
        title = rest;
    }
    const EXTENSIONS: [&str; 14] = [
        ".doc", ".docx", ".rtf", ".odt", ".ppt", ".pptx", ".xls", ".xlsx", ".indd", ".qxd", ".dvi", ".tex",
        ".pdf", ".ps",
    ];
    let lower = title.to_lowercase();
    if let Some(extension) = EXTENSIONS.iter().find(|extension| lower.ends_with(**extension))
        && let Some(stem) = title.get(..title.len() - extension.len())
    {
        title = stem;
    }
    let lower =
        title.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | ' ')).to_lowercase();
    const JUNK: [&str; 19] = [
        "untitled",
        "unbenannt",
        "sans titre",
        "untitled document",
        "document",
        "dokument",
        "title",
        "titel",
        "slide",
        "layout",
        "powerpoint presentation",
        "no title",
        "unbenanntes dokument",
        "document sans titre",
        "documento sin título",
        "documento senza titolo",
        "documento sem título",
        "dokument bez tytułu",
        "無題のドキュメント",
    ];
    let meaningless = JUNK.contains(&lower.as_str()) || !title.chars().any(char::is_alphanumeric);
    (!meaningless && title.len() <= 1000).then(|| title.trim().to_owned())
}

/// A language tag, if it has the form of one.
pub fn language(tag: &str) -> Option<String> {
    let tag = tag.trim().replace('_', "-");
    let mut parts = tag.split('-');
    let primary = parts.next()?;
    let primary_fits = (2..=3).contains(&primary.len()) && primary.bytes().all(|b| b.is_ascii_alphabetic());
    let fits = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    (primary_fits && parts.all(fits) && tag.len() <= 35).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        assert_eq!(title("  The\n Debian  FAQ "), Some("The Debian FAQ".to_owned()));
        assert_eq!(title("Microsoft Word - annual report.doc"), Some("annual report".to_owned()));
        for junk in
            ["", "untitled", "Untitled-1", "Document1", "Microsoft Word - Dokument2", "---", "Slide 1"]
        {
            assert_eq!(title(junk), None, "{junk}");
        }
    }

    #[test]
    fn languages() {
        assert_eq!(language("de"), Some("de".to_owned()));
        assert_eq!(language("pt_BR"), Some("pt-BR".to_owned()));
        assert_eq!(language("zh-Hant-TW"), Some("zh-Hant-TW".to_owned()));
        for no in ["", "English", "x", "d e", "de-", "en-\u{e9}"] {
            assert_eq!(language(no), None, "{no}");
        }
    }

    #[test]
    fn text_strings() {
        assert_eq!(text(b"\xFE\xFF\x00A\xD8\x3D\xDE\x00"), "A😀");
        assert_eq!(text(b"\xFF\xFEA\x00"), "A");
        assert_eq!(text(b"\xEF\xBB\xBF\xC3\xA4"), "ä");
        assert_eq!(text(b"caf\xE9 \x80 \xA0"), "café \u{2022} \u{20AC}");
    }

    #[test]
    fn xmp() {
        let packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description><dc:title><rdf:Alt>\
            <rdf:li xml:lang='x-default'>Cats &amp; dogs</rdf:li><rdf:li xml:lang='de'>Katzen</rdf:li></rdf:Alt></dc:title>";
        assert_eq!(xmp_title(packet), Some("Cats & dogs".to_owned()));
        assert_eq!(xmp_title(b"<a><b/></a>"), None);
        assert_eq!(xmp_title(b"\xFF\xFE"), None);
    }
}
