use super::*;

fn kind(bytes: &[u8], filename: &str, mime_type: &str) -> Result<Kind, String> {
    let some = |text: &'static str| (!text.is_empty()).then_some(text);
    let filename = some(filename.to_owned().leak());
    let mime_type = some(mime_type.to_owned().leak());
    of(&File { bytes, filename, mime_type, password: None }).map_err(|failure| match failure {
        Failure::Unsupported(name) => name,
        other => panic!("{other:?}"),
    })
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

#[test]
fn tells_documents() {
    for (bytes, filename, mime_type, expected) in [
        (b"%PDF-1.7\n%\xe2\xe3".as_slice(), "", "", Kind::Pdf),
        (b"%PDF-1.7\n", "a.txt", "text/plain", Kind::Pdf),
        (b"\xEF\xBB\xBF%PDF-1.7", "", "", Kind::Pdf),
        (b"junk\0\0\x01\x02\x03\n%PDF-1.4\n\xff\xfe", "", "", Kind::Pdf),
        (b"Received: junk\n%PDF-1.4\n", "a.pdf", "", Kind::Pdf),
        (b"This text is about\n%PDF-1.4\n", "a.txt", "", Kind::Text),
        (b"no PDF file", "a.pdf", "", Kind::Pdf),
        (b"no PDF file", "a.txt", "application/pdf", Kind::Pdf),
        (&zip(&["[Content_Types].xml", "word/document.xml"]), "a.zip", "", Kind::Docx),
        (&zip(&["[Content_Types].xml", "word/document.xml"])[..100], "", "", Kind::Docx),
        (
            &[binary::OLE.as_slice(), b"x\0E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"].concat(),
            "",
            "",
            Kind::Docx,
        ),
    ] {
        assert_eq!(
            kind(bytes, filename, mime_type),
            Ok(expected),
            "{} {filename} {mime_type}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn tells_text() {
    for (text, filename, mime_type, expected) in [
        ("a", "", "", Kind::Text),
        ("", "", "", Kind::Text),
        ("", "a.html", "", Kind::Html),
        ("a", "a.HTM", "", Kind::Html),
        ("a", "b.dir/README.md", "", Kind::Markdown),
        ("a", "b.md/file", "", Kind::Text),
        ("a", ".md", "", Kind::Text),
        ("a", "C:\\b.html\\a.mdx", "", Kind::Markdown),
        ("a", "a.md", "text/plain; charset=utf-8", Kind::Markdown),
        ("a", "a.html", "text/plain", Kind::Text),
        ("a", "a.html", "application/octet-stream", Kind::Html),
        ("a", "a.txt", "Text/HTML;charset=x", Kind::Html),
        ("a", "a.txt", "application/xhtml+xml", Kind::Html),
        ("a", "a.txt", "text/x-markdown", Kind::Markdown),
        ("{}", "a", "application/ld+json", Kind::Text),
        ("a,b", "a", "text/csv", Kind::Text),
        ("<!doctype html><p>a", "", "", Kind::Html),
        ("\n<html><p>a", "page", "", Kind::Html),
        ("<html><p>{{ a }}", "a.erb", "", Kind::Text),
        ("<html><p>a", "a.unknown", "", Kind::Html),
        ("-- SQL", "a.sql", "", Kind::Text),
        ("MZ is no program, BM no image", "", "", Kind::Text),
        ("\u{1b}[1mcolours\u{1b}[0m", "a.log", "", Kind::Text),
    ] {
        assert_eq!(kind(text.as_bytes(), filename, mime_type), Ok(expected), "{text} {filename} {mime_type}");
        let wide: Vec<_> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(kind(&wide, filename, mime_type), Ok(expected), "{text} {filename} {mime_type} in UTF-16");
    }
    assert_eq!(kind(b"caf\xe9 au lait", "", ""), Ok(Kind::Text));
}

#[test]
fn names_what_cannot_be_read() {
    let noise: Vec<u8> = (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let ole = |name: &str| {
        [
            binary::OLE.as_slice(),
            name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice(),
        ]
        .concat()
    };
    for (bytes, filename, mime_type, expected) in [
        (zip(&["[Content_Types].xml", "xl/workbook.xml"]), "a.docx", "", "an XLSX file"),
        (zip(&["ppt/presentation.xml"]), "", "text/plain", "a PPTX file"),
        (zip(&["a.txt", "b.txt"]), "", "", "a ZIP archive"),
        (zip(&[]), "", "", "a ZIP archive"),
        (b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0mimetypeapplication/epub+zip".to_vec(), "", "", "an EPUB file"),
        (b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0mimetypeapplication/vnd.oasis.opendocument.text".to_vec(), "", "", "an ODT file"),
        (ole("WordDocument"), "a.doc", "", "a DOC file (Word 97 to 2003)"),
        (ole("Workbook"), "", "", "an XLS file (Excel 97 to 2003)"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01".to_vec(), "a.html", "text/html", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01".to_vec(), "", "", "a JPEG image"),
        (b"GIF89a\x01\0\x01\0\0\0\0\0\0".to_vec(), "", "", "a GIF image"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec(), "", "", "a gzip file"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".repeat(4), "", "", "a program"),
        (b"ID3\x03\0\0\0\0\0\0\0\0".to_vec(), "", "", "an audio file"),
        (b"{\\rtf1\\ansi text}".to_vec(), "", "text/plain", "an RTF file"),
        (b"%!PS-Adobe-3.0\n".to_vec(), "", "", "a PostScript file"),
        (noise.clone(), "a.txt", "", "a binary file"),
        (noise, "", "text/html", "a binary file"),
        (b"text\0\x01\x02\x03".to_vec(), "a.md", "", "a binary file"),
        // Declared, or named.
        (b"no image".to_vec(), "a.txt", "image/png", "a PNG image"),
        (b"no video".to_vec(), "a.txt", "video/x-unknown", "a video"),
        (b"<svg/>".to_vec(), "a.svg", "", "an SVG image"),
        (b"From: a".to_vec(), "a.eml", "", "an e-mail message"),
    ] {
        let found = kind(&bytes, filename, mime_type);
        assert_eq!(found, Err(expected.to_owned()), "{} {filename} {mime_type}", bytes[..bytes.len().min(40)].escape_ascii());
    }
}
