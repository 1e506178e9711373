//! A small writer of Word documents.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
    xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\" \
    xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Parts with their names.
pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1));
    for (name, data) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(data).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A document whose main part is so many megabytes of NUL.
pub fn zip_bomb(megabytes: usize) -> Vec<u8> {
    let name = b"word/document.xml";
    let data = &super::pdf::zeros(megabytes)[2..];
    let packed = (data.len() as u32).to_le_bytes();
    let unpacked = ((megabytes as u32) << 20).to_le_bytes();
    // Version, flags, deflate, time, date, checksum (never reached), sizes, and the lengths of name and extra field.
    let common = [
        &[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0, 0, 0, 0, 0],
        &packed[..],
        &unpacked,
        &[name.len() as u8, 0, 0, 0],
    ]
    .concat();
    let local = [b"PK\x03\x04", common.as_slice(), name, data].concat();
    let directory = [b"PK\x01\x02\x14\0", common.as_slice(), &[0; 14], name].concat();
    let (size, start) = ((directory.len() as u32).to_le_bytes(), (local.len() as u32).to_le_bytes());
    let end = [b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &size[..], &start, &[0, 0]].concat();
    [local, directory, end].concat()
}

/// A document with this body.
pub fn docx(body: &str) -> Vec<u8> {
    with_parts(body, &[])
}

/// A document with this body and other parts of the folder word, such as styles.xml.
pub fn with_parts(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let document =
        format!("<?xml version=\"1.0\"?><w:document {W}><w:body>{body}<w:sectPr/></w:body></w:document>");
    let root = format!(
        "<Relationships><Relationship Id=\"r1\" Type=\"{OFFICE}/officeDocument\" Target=\"word/document.xml\"/>\
         <Relationship Id=\"r2\" Type=\"{OFFICE}/metadata/core-properties\" Target=\"docProps/core.xml\"/></Relationships>"
    );
    let mut relations = String::from("<Relationships>");
    let mut all: Vec<(String, Vec<u8>)> = vec![("_rels/.rels".into(), root.into_bytes())];
    for (name, xml) in parts {
        let kind = name.trim_end_matches(".xml");
        relations
            .push_str(&format!("<Relationship Id=\"{kind}\" Type=\"{OFFICE}/{kind}\" Target=\"{name}\"/>"));
        let path = if *name == "core.xml" { "docProps/core.xml".to_owned() } else { format!("word/{name}") };
        all.push((path, xml.replace("XMLNS", W).into_bytes()));
    }
    relations.push_str("</Relationships>");
    all.push(("word/_rels/document.xml.rels".into(), relations.into_bytes()));
    all.push(("word/document.xml".into(), document.into_bytes()));
    let parts: Vec<(&str, &[u8])> = all.iter().map(|(name, data)| (name.as_str(), data.as_slice())).collect();
    archive(&parts)
}

/// A paragraph, perhaps with properties.
pub fn p(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

/// A table.
pub fn table(rows: &[&[&str]]) -> String {
    let cell = |text: &&str| {
        format!(
            "<w:tc><w:tcPr/>{}</w:tc>",
            if text.starts_with('<') { (*text).to_owned() } else { p("", text) }
        )
    };
    let row =
        |cells: &&[&str]| format!("<w:tr><w:trPr/>{}</w:tr>", cells.iter().map(cell).collect::<String>());
    format!("<w:tbl><w:tblPr/>{}</w:tbl>", rows.iter().map(row).collect::<String>())
}

/// The styles of a German Word.
pub const STYLES: &str = "<w:styles XMLNS><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val=\"de-DE\" w:eastAsia=\"ja-JP\"/></w:rPr>\
    </w:rPrDefault></w:docDefaults>\
    <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Standard\"><w:name w:val=\"Normal\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"Standard\"/>\
    <w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/><w:basedOn w:val=\"berschrift1\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Eigen\"><w:name w:val=\"Eigene\"/><w:basedOn w:val=\"berschrift2\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Inhalt\"><w:name w:val=\"TOC Heading\"/><w:basedOn w:val=\"berschrift1\"/>\
    <w:pPr><w:outlineLvl w:val=\"9\"/></w:pPr></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Titel\"><w:name w:val=\"Title\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Liste\"><w:name w:val=\"List Bullet\"/><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr>\
    </w:pPr></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Kreis\"><w:name w:val=\"a\"/><w:basedOn w:val=\"Kreis\"/></w:style>\
    <w:style w:type=\"character\" w:styleId=\"Geheim\"><w:name w:val=\"secret\"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>";

/// A list with bullets (1), numbers (2), numbers from 5 (3).
pub const NUMBERING: &str = "<w:numbering XMLNS>\
    <w:abstractNum w:abstractNumId=\"10\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"bullet\"/></w:lvl>\
    <w:lvl w:ilvl=\"1\"><w:numFmt w:val=\"bullet\"/></w:lvl></w:abstractNum>\
    <w:abstractNum w:abstractNumId=\"11\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/></w:lvl>\
    <w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"lowerLetter\"/></w:lvl></w:abstractNum>\
    <w:num w:numId=\"1\"><w:abstractNumId w:val=\"10\"/></w:num><w:num w:numId=\"2\"><w:abstractNumId w:val=\"11\"/></w:num>\
    <w:num w:numId=\"3\"><w:abstractNumId w:val=\"11\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"5\"/></w:lvlOverride>\
    </w:num></w:numbering>";

/// A body with something of everything.
pub fn body() -> String {
    let list =
        |list, level| format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>");
    let body = [
        p("<w:pStyle w:val=\"berschrift1\"/>", "Start &amp; Ende"),
        p("", "Running text with a note<w:br/>"),
        p(&list(1, 0), "first"),
        p(&list(2, 1), "second"),
        table(&[&["a", "b|c"], &["1", &table(&[&["x"]])]]),
        "<w:p><w:r><w:t>x</w:t><w:footnoteReference w:id=\"2\"/></w:r><w:del><w:r><w:t>y</w:t></w:r></w:del></w:p>".to_owned(),
        "<w:p><w:r><mc:Fallback>n</mc:Fallback><wps:txbx><w:txbxContent><w:p/></w:txbxContent></wps:txbx></w:r></w:p>".to_owned(),
    ];
    format!("<w:document {W}><w:body>{}</w:body></w:document>", body.concat())
}

/// A document with something of everything.
pub fn sample() -> Vec<u8> {
    let notes =
        format!("<w:footnotes XMLNS><w:footnote w:id=\"2\">{}</w:footnote></w:footnotes>", p("", "a note"));
    with_parts(&body(), &[("styles.xml", STYLES), ("numbering.xml", NUMBERING), ("footnotes.xml", &notes)])
}
