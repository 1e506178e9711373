use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::chunk::{Strategy as Cut, detect};

fn name_of(bytes: &[u8], filename: &str, mime_type: &str) -> &'static str {
    let some = |text: &'static str| (!text.is_empty()).then_some(text);
    let (filename, mime_type) = (filename.to_owned().leak(), mime_type.to_owned().leak());
    recognize(bytes, some(filename), some(mime_type)).name
}

/// A ZIP archive of empty files.
fn zip(names: &[&str]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for name in names {
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        let offset = u32::try_from(file.len()).unwrap().to_le_bytes();
        file.extend([b"PK\x03\x04".as_slice(), &[0; 22], &length, &[0; 2], name.as_bytes()].concat());
        directory.extend(
            [b"PK\x01\x02".as_slice(), &[0; 24], &length, &[0; 12], &offset, name.as_bytes()].concat(),
        );
    }
    let offset = u32::try_from(file.len()).unwrap().to_le_bytes();
    file.extend(directory);
    file.extend([b"PK\x05\x06".as_slice(), &[0; 12], &offset, &[0; 2]].concat());
    file
}

/// A ZIP archive whose first file says what it is.
fn declared_zip(mime_type: &str) -> Vec<u8> {
    [b"PK\x03\x04".as_slice(), &[0; 26], b"mimetype", mime_type.as_bytes()].concat()
}

/// A compound file with a stream.
fn ole(stream: &str) -> Vec<u8> {
    let stream: Vec<u8> = stream.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".as_slice(), &stream].concat()
}

/// The same with damage in the directory, before the entry of its second file.
fn damaged_zip(names: &[&str]) -> Vec<u8> {
    let mut file = zip(names);
    let places: Vec<usize> = memchr::memmem::find_iter(&file, b"PK\x01\x02").collect();
    file[places[1]] = b'X';
    file
}

fn noise() -> Vec<u8> {
    (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// The beginning of a file with a mark.
fn marked(mark: Mark) -> Vec<u8> {
    let length = mark.iter().map(|(at, part)| at + part.len()).max().unwrap_or_default();
    let mut bytes = vec![0; length];
    for (at, part) in mark {
        bytes[*at..at + part.len()].copy_from_slice(part);
    }
    bytes
}

fn words() -> impl Iterator<Item = (&'static Kind, &'static str, &'static str)> {
    table::kinds().flat_map(|kind| {
        let of = move |list, word| (kind, list, word);
        let endings = kind.endings().map(move |word| of("ending", word));
        endings
            .chain(kind.names().map(move |word| of("name", word)))
            .chain(kind.types().map(move |word| of("type", word)))
    })
}

#[test]
fn no_word_is_in_the_table_twice() {
    let mut seen = HashSet::new();
    for (kind, list, word) in words() {
        assert!(seen.insert((list, word)), "{list} {word} of {} has a kind already", kind.name);
        assert_eq!(word, word.to_ascii_lowercase(), "{}", kind.name);
        assert!(!word.starts_with('.') && word.contains('/') == (list == "type"), "{word}");
    }
    let mut names = HashSet::new();
    for kind in table::kinds() {
        assert!(names.insert(kind.name), "{} has two rows", kind.name);
        let has_article = kind.name.starts_with("a ") || kind.name.starts_with("an ");
        assert!(has_article || kind.reader().is_ok(), "{}, which cannot be read", kind.name);
    }
}

#[test]
fn every_word_leads_to_its_kind() {
    for (kind, list, word) in words() {
        let found = match list {
            "ending" => by_name(&format!("dir.x/A.B.{}", word.to_uppercase())),
            "name" => by_name(&format!("dir/{word}")),
            _ => by_mime_type(&format!(" {}; charset=utf-8", word.to_uppercase())),
        };
        assert_eq!(found, Some(kind), "{list} {word}");
    }
    for (mime_type, kind) in [
        ("text/unheard", Some(table::OTHER_TEXT)),
        ("text/x-unheard", Some(table::SOURCE_CODE)),
        ("image/unheard+xml", Some(table::IMAGE)),
        ("audio/ogg", Some(table::AUDIO)),
        ("video/mp4", Some(table::VIDEO)),
        ("font/woff", Some(table::FONT)),
        ("application/rss+xml", Some(table::XML)),
        ("application/vnd.api+json", Some(table::JSON)),
        ("application/octet-stream", None),
        ("", None),
    ] {
        assert_eq!(by_mime_type(mime_type), kind.as_ref(), "{mime_type}");
    }
    for name in ["", ".md", "a.md/file", "x.unheard", "pdf", "C:\\a.md\\file", "makefile.x"] {
        assert_eq!(by_name(name), None, "{name}");
    }
    assert_eq!(by_name("C:\\b.html\\a.mdx"), Some(&table::MARKDOWN));
    for (name, kind) in [
        ("a.min.js", "a minified script or style sheet"),
        ("a.v1.MIN.CSS", "a minified script or style sheet"),
        ("min.js", "JavaScript"),
        ("a.d.ts.map", "a source map"),
        ("web/Cargo.lock", "a lock file"),
        ("package-lock.json", "a lock file"),
        ("package.json", "JSON"),
    ] {
        assert_eq!(by_name(name).map(|kind| kind.name), Some(kind), "{name}");
    }
}

#[test]
fn every_reader_has_a_kind_by_name_and_type() {
    for reader in Reader::ALL {
        assert!(READABLE.to_lowercase().contains(&format!("{reader:?}").to_lowercase()), "{reader:?}");
        let reads = |kind: &&Kind| kind.reader() == Ok(reader);
        assert!(table::kinds().filter(reads).any(|kind| kind.endings().count() > 0), "{reader:?}");
        assert!(table::kinds().filter(reads).any(|kind| kind.types().count() > 0), "{reader:?}");
    }
}

/// Of the same bytes the name does not change the kind, and each kind with a mark is found by it.
#[test]
fn marks_agree_with_endings() {
    for kind in table::kinds() {
        for mark in kind.marks {
            let bytes = marked(mark);
            assert!(mark.iter().map(|(_, part)| part.len()).sum::<usize>() > 1, "{}", kind.name);
            let bytes = if is_text(&bytes) && kind.handling == Handling::NoText {
                [bytes, vec![0; 400]].concat()
            } else {
                bytes
            };
            for ending in kind.endings().chain(["txt", "png", "html", "unheard"]) {
                let found = recognize(&bytes, Some(&format!("a.{ending}")), None);
                assert_eq!(found.name, kind.name, "{} .{ending}", bytes.escape_ascii());
            }
        }
    }
}

#[test]
fn chunking_reaches_every_language() {
    for kind in table::kinds() {
        let expected = match kind.handling {
            Handling::Code => Cut::Code,
            Handling::Read(Reader::Markdown) => Cut::Markdown,
            Handling::Records => Cut::Csv,
            _ => Cut::Text,
        };
        for ending in kind.endings() {
            assert_eq!(detect(None, Some(&format!("src/a.{ending}")), None), expected, "{ending}");
        }
        for name in kind.names() {
            assert_eq!(detect(None, Some(name), None), expected, "{name}");
        }
        let is_reachable = kind.endings().chain(kind.names()).next().is_some();
        assert!(
            is_reachable || kind.handling != Handling::Code || *kind == table::SOURCE_CODE,
            "{}",
            kind.name
        );
    }
}

#[test]
fn recognizes_documents() {
    for (bytes, filename, mime_type, expected) in [
        (b"%PDF-1.7\n%\xe2\xe3".as_slice(), "", "", table::PDF),
        (b"%PDF-1.7\n", "a.txt", "text/plain", table::PDF),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a.dat", "", table::PDF),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a.png", "", table::PDF),
        (b"\xEF\xBB\xBF%PDF-1.7", "", "", table::PDF),
        (b"junk\0\0\x01\x02\x03\n%PDF-1.4\n\xff\xfe", "", "", table::PDF),
        (b"Received: junk\n%PDF-1.4\n", "a.pdf", "", table::PDF),
        (b"This text is about\n%PDF-1.4\n", "a.txt", "", table::PLAIN_TEXT),
        (b"no PDF file", "a.pdf", "", table::PDF),
        (b"no PDF file", "a.txt", "application/pdf", table::PDF),
        (&noise(), "a.pdf", "", table::PDF),
        (&noise(), "a.docx", "", table::DOCX),
        (&zip(&["[Content_Types].xml", "word/document.xml"]), "a.zip", "", table::DOCX),
        (&zip(&["[Content_Types].xml", "word/document.xml"])[..100], "", "", table::DOCX),
        (&zip(&["[Content_Types].xml", "word/document.xml"])[..40], "a.docx", "", table::DOCX),
        (&zip(&["[Content_Types].xml", "word/document.xml"])[..40], "a.zip", "", table::ZIP),
        (&zip(&["[Content_Types].xml", "word/document.xml"])[..40], "a.pptx", "", table::PPTX),
        (&zip(&["[Content_Types].xml", "Word\\Document.xml"]), "", "", table::DOCX),
        (&damaged_zip(&["[Content_Types].xml", "word/document.xml"]), "", "", table::DOCX),
        (&damaged_zip(&["[Content_Types].xml", "word/other.xml"]), "a.docx", "", table::DOCX),
        (
            &damaged_zip(&["word/document.xml", "word/embeddings/a.xlsx", "xl/workbook.xml"]),
            "",
            "",
            table::DOCX,
        ),
    ] {
        let found = name_of(bytes, filename, mime_type);
        assert_eq!(found, expected.name, "{} {filename} {mime_type}", bytes.escape_ascii());
    }
}

#[test]
fn recognizes_text() {
    use Reader::{Html, Markdown, Text};
    for (text, filename, mime_type, expected) in [
        ("a", "", "", Text),
        ("", "", "", Text),
        ("", "a.html", "", Html),
        ("a", "a.HTM", "", Html),
        ("a", "b.dir/README.md", "", Markdown),
        ("a", "b.md/file", "", Text),
        ("a", ".md", "", Text),
        ("a", "C:\\b.html\\a.mdx", "", Markdown),
        ("a", "a.md", "text/plain; charset=utf-8", Markdown),
        ("a", "a.html", "text/plain", Text),
        ("a", "a.html", "application/octet-stream", Html),
        ("a", "a.txt", "Text/HTML;charset=x", Html),
        ("a", "a.txt", "application/xhtml+xml", Html),
        ("a", "a.txt", "text/x-markdown", Markdown),
        ("{}", "a", "application/ld+json", Text),
        ("a,b", "a", "text/csv", Text),
        ("<!doctype html><p>a", "", "", Html),
        ("\n<html><p>a", "page", "", Html),
        ("<html><p>{{ a }}", "a.erb", "", Text),
        ("<html><p>a", "a.unknown", "", Html),
        ("<html><p>a", "a.xls", "", Html),
        ("-- SQL", "a.sql", "", Text),
        ("all: kb_rag", "Makefile", "", Text),
        ("GROUP ( /lib/libc.so.6 )", "libc.so", "", Text),
        ("no image", "a.png", "", Text),
        ("<svg/>", "a.svg", "text/plain", Text),
        ("MZ is no program, BM no image", "", "", Text),
        ("\u{1b}[1mcolors\u{1b}[0m", "a.log", "", Text),
    ] {
        let read = |bytes: &[u8]| recognize(bytes, Some(filename), Some(mime_type)).reader();
        assert_eq!(read(text.as_bytes()), Ok(expected), "{text} {filename} {mime_type}");
        let wide: Vec<_> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&wide), Ok(expected), "{text} {filename} {mime_type} in UTF-16");
    }
    assert_eq!(name_of(b"caf\xe9 au lait", "", ""), "plain text");
}

#[test]
fn names_what_cannot_be_read() {
    for (bytes, filename, mime_type, expected) in [
        (zip(&["[Content_Types].xml", "xl/workbook.xml"]), "a.docx", "", "an XLSX file"),
        (zip(&["ppt/presentation.xml"]), "", "text/plain", "a PPTX file"),
        (zip(&["a.txt", "b.txt"]), "", "", "a ZIP archive"),
        (zip(&["a.txt", "b.txt"]), "a.docx", "", "a ZIP archive"),
        (zip(&[]), "", "", "a ZIP archive"),
        (declared_zip("application/epub+zip"), "", "", "an EPUB file"),
        (declared_zip("application/vnd.oasis.opendocument.text"), "", "", "an ODT file"),
        (declared_zip("image/openraster"), "", "", "an image"),
        (ole("EncryptedPackage"), "a.docx", "", "an encrypted Office file"),
        (ole("WordDocument"), "a.doc", "", "a DOC file (Word 97 to 2003)"),
        (ole("Workbook"), "", "", "an XLS file (Excel 97 to 2003)"),
        (ole("Unheard"), "a.dat", "", "a binary file"),
        (ole("Unheard"), "a.msi", "", "a program"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec(), "a.html", "text/html", "a PNG image"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec(), "a.txt", "", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01".to_vec(), "", "", "a JPEG image"),
        (b"GIF89a\x01\0\x01\0\0\0\0\0\0".to_vec(), "", "", "a GIF image"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec(), "", "", "a gzip file"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".repeat(4), "", "", "a program"),
        (b"ID3\x03\0\0\0\0\0\0\0\0".to_vec(), "", "", "an audio file"),
        (b"II*\0\x10\0\0\0CR\x02\0".to_vec(), "", "", "an image"),
        (b"\0\0\0\x18ftypM4A \0\0\0\0".to_vec(), "", "", "an audio file"),
        (b"\0\0\0\x18ftypisom\0\0\0\0".to_vec(), "", "", "a video"),
        (b"{\\rtf1\\ansi text}".to_vec(), "", "text/plain", "an RTF file"),
        (b"%!PS-Adobe-3.0\n".to_vec(), "", "", "a PostScript file"),
        (noise(), "a.txt", "", "a binary file"),
        (noise(), "", "text/html", "a binary file"),
        (noise(), "a.tga", "", "an image"),
        (b"text\0\x01\x02\x03".to_vec(), "a.md", "", "a binary file"),
        // Declared, or named.
        (b"no image".to_vec(), "a.txt", "image/png", "a PNG image"),
        (b"no video".to_vec(), "a.txt", "video/x-unknown", "a video"),
        (b"<svg/>".to_vec(), "a.svg", "", "an SVG image"),
        (b"From: a".to_vec(), "a.eml", "", "an e-mail message"),
        (b"From: a".to_vec(), "a.MHTML", "", "an e-mail message"),
        (b"%!\n".to_vec(), "a.eps", "", "a PostScript file"),
    ] {
        let found = recognize(&bytes, Some(filename), Some(mime_type));
        let shown = bytes[..bytes.len().min(40)].escape_ascii();
        assert_eq!(found.reader(), Err(expected), "{shown} {filename} {mime_type}");
    }
}

#[test]
fn a_beginning_shows_what_is_clear() {
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0; 100]].concat();
    let unclear: [&[u8]; 5] = [b"text", b"", b"PK\x03\x04\0\0", &ole("x"), &noise()];
    assert_eq!(recognize_beginning(&png, Some("a.txt")).map(|kind| kind.name), Some("a PNG image"));
    for beginning in unclear {
        assert_eq!(recognize_beginning(beginning, Some("a.png")), None, "{}", beginning.escape_ascii());
    }
    let noise = noise().repeat(SAMPLE / 5000 + 1);
    assert_eq!(recognize_beginning(&noise, None), Some(&table::BINARY));
}

#[test]
fn decodes_invalid_units() {
    for (bytes, expected) in [
        (b"a\0\x3d\xd8".as_slice(), "a\u{fffd}"),
        (b"\x3d\xd8\x4c", "\u{fffd}\u{fffd}"),
        (b"\x3d\xd8\x4c\xdc", "\u{1f44c}"),
        (b"a\0b", "a\u{fffd}"),
    ] {
        assert_eq!(decode_wide(bytes, Wide::Utf16 { big: false, mark: 0 }), expected);
    }
    assert_eq!(decode_wide(b"\0\0\0a\0\x11\0\0\0", Wide::Utf32 { big: true, mark: 0 }), "a\u{fffd}\u{fffd}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes under any name are of some kind, and what a beginning shows stays so, however the file goes on.
    #[test]
    fn a_beginning_does_not_mislead(
        mark in prop::sample::select(table::kinds().flat_map(|kind| kind.marks).copied().collect::<Vec<_>>()),
        more in prop::collection::vec(any::<u8>(), 0..600),
        cut in 0..600_usize,
        name in "[a-z]{0,3}(\\.(pdf|docx|svg|md|png|x))?",
    ) {
        let bytes = [marked(mark), more].concat();
        let beginning = &bytes[..cut.min(bytes.len())];
        if let Some(shown) = recognize_beginning(beginning, Some(&name)).filter(|_| !is_text(&bytes)) {
            let all = recognize(&bytes, Some(&name), None);
            prop_assert_eq!(shown.reader().is_ok(), all.reader().is_ok());
        }
    }

    /// Text in UTF-8 without control characters is read, unless type, name or first bytes are those of another kind.
    #[test]
    fn text_is_read(text in "[a-zà-ü0-9 .,\n]{0,80}") {
        prop_assert_eq!(recognize(text.as_bytes(), Some("a.unheard"), None).reader(), Ok(Reader::Text));
    }
}

#[test]
fn names_of_files_are_no_mime_types() {
    for mime_type in
        ["text/html", "Text/HTML; charset=utf-8", "application/vnd.oasis.opendocument.text", "text/x-unknown"]
    {
        assert!(is_mime_type(mime_type), "{mime_type}");
    }
    for name in
        ["docs/a.html", "a.html", "text/a.html", "text/", "/etc/passwd", "text/a/b", "up/readme.md", ""]
    {
        assert!(!is_mime_type(name), "{name}");
    }
    assert!(!is_mime_type(&format!("text/{}", "x".repeat(300))));
}
