//! Word documents made here.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

#[path = "common/quick.rs"]
mod quick;
mod samples;

use kb_rag_core::extract_protocol::Failure;
use kb_rag_extract::{File, Text, docx};
use quick::quick;
use samples::docx::{NUMBERING, STYLES, archive, docx as document, p, sample, table, with_parts, zip_bomb};

fn read(bytes: &[u8]) -> Result<Text, Failure> {
    docx::extract(&File { bytes, ..File::default() })
}

/// The text of a document that is in order.
fn text(bytes: &[u8]) -> String {
    let mut text = read(bytes).unwrap();
    assert!(text.properties.markdown && !text.properties.paged);
    assert_eq!(text.pages.len(), 1);
    let page = text.pages.remove(0);
    assert_eq!(page.error, None);
    page.content
}

fn styled(style: &str, text: &str) -> String {
    p(&format!("<w:pStyle w:val=\"{style}\"/>"), text)
}

fn item(list: u8, level: u8, text: &str) -> String {
    p(&format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>"), text)
}

#[test]
fn headings_by_styles_of_any_language() {
    let body = [
        styled("Titel", "The whole"),
        styled("berschrift1", "One"),
        p("", "Text of it."),
        styled("berschrift2", "Two"),
        styled("Eigen", "Two too"),
        styled("Inhalt", "Contents"),
        styled("Kreis", "based on itself"),
        p("<w:outlineLvl w:val=\"2\"/>", "Three"),
        styled("Heading4", "without a definition"),
        styled("Unknown", "plain"),
    ];
    let file = with_parts(&body.concat(), &[("styles.xml", STYLES)]);
    let expected = "# The whole\n\n# One\n\nText of it.\n\n## Two\n\n## Two too\n\nContents\n\nbased on itself\n\n### Three\n\n\
        #### without a definition\n\nplain";
    assert_eq!(text(&file), expected);
    assert_eq!(read(&file).unwrap().properties.language.as_deref(), Some("de-DE"));
}

#[test]
fn lists() {
    let body = [
        item(1, 0, "bullet"),
        item(1, 1, "deeper"),
        item(2, 0, "one"),
        item(2, 1, "a"),
        item(2, 1, "b"),
        item(2, 0, "two"),
        item(2, 1, "again"),
        p("", "text between"),
        item(2, 0, "three"),
        item(3, 0, "from five"),
        item(2, 0, "the same form counts on"),
        styled("Liste", "by its style"),
        item(0, 0, "no list"),
        item(77, 0, "unknown list"),
    ];
    let file = with_parts(&body.concat(), &[("styles.xml", STYLES), ("numbering.xml", NUMBERING)]);
    let expected = "- bullet\n    - deeper\n1. one\n\n1.a. a\n\n1.b. b\n\n2. two\n\n2.a. again\n\ntext between\n\n3. three\n\
        5. from five\n6. the same form counts on\n- by its style\n\nno list\n\n- unknown list";
    assert_eq!(text(&file), expected);
}

#[test]
fn tables() {
    let nested = format!("{}{}", table(&[&["x", "y"], &["z", ""]]), p("", "after"));
    let body = table(&[&["Name", "a|b"], &[&nested, "line"], &["last", "<w:p/>"]]);
    assert_eq!(
        text(&document(&body)),
        "| Name | a\\|b |\n| --- | --- |\n| x, y; z after | line |\n| last | |"
    );
    let spanned = body.replacen("<w:tcPr/>", "<w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>", 1);
    assert!(text(&document(&spanned)).starts_with("| Name | | a\\|b |\n| --- | --- | --- |\n"));
    let deleted = body.replacen("<w:trPr/>", "<w:trPr><w:del w:id=\"1\"/></w:trPr>", 1);
    assert!(!text(&document(&deleted)).contains("Name"));
    // A frame around text.
    assert_eq!(text(&document(&table(&[&["all of it"]]))), "all of it");
}

#[test]
fn what_is_not_shown_is_left_out() {
    let run = |inner: &str| format!("<w:r>{inner}</w:r>");
    let body = [
        "<w:p>".to_owned(),
        run("<w:t>kept</w:t>"),
        "<w:del w:id=\"1\"><w:r><w:delText>gone</w:delText></w:r><w:r><w:t>gone</w:t></w:r></w:del>".to_owned(),
        "<w:ins w:id=\"2\"><w:r><w:t> added</w:t></w:r></w:ins>".to_owned(),
        "<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t> moved</w:t></w:r></w:moveTo>".to_owned(),
        run("<w:instrText>PAGEREF gone</w:instrText>"),
        run("<w:rPr><w:vanish/></w:rPr><w:t>gone</w:t>"),
        run("<w:rPr><w:vanish w:val=\"0\"/></w:rPr><w:t> seen</w:t>"),
        run("<w:rPr><w:rStyle w:val=\"Geheim\"/></w:rPr><w:t>gone</w:t>"),
        "<w:hyperlink r:id=\"h\"><w:r><w:t> link</w:t></w:r></w:hyperlink>".to_owned(),
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r><w:t>gone</w:t></w:r></w:sdtContent></w:sdt>".to_owned(),
        "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t> field</w:t></w:r></w:sdtContent></w:sdt>".to_owned(),
        run("<w:noBreakHyphen/><w:softHyphen/><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>- c &lt;&#x41;&gt; &unknown; d</w:t>"),
        "</w:p>".to_owned(),
    ];
    let file = with_parts(&body.concat(), &[("styles.xml", STYLES)]);
    assert_eq!(text(&file), "kept added moved seen link field-a b\n\\- c <A>  d");
}

#[test]
fn text_boxes_come_once_and_after_their_paragraph() {
    let frame = format!("<w:txbxContent>{}{}</w:txbxContent>", p("", "in a box"), p("", "more"));
    let body = format!(
        "<w:p><w:r><w:t>before </w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><wps:txbx>{frame}</wps:txbx>\
         </mc:Choice><mc:Fallback><v:textbox>{frame}</v:textbox></mc:Fallback></mc:AlternateContent></w:r>\
         <w:r><w:t>after</w:t></w:r></w:p>"
    );
    assert_eq!(text(&document(&body)), "before after\n\nin a box\n\nmore");
}

#[test]
fn readings_stand_behind_their_words() {
    let ruby = |base: &str, reading: &str| {
        format!(
            "<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val=\"center\"/></w:rubyPr><w:rt><w:r><w:t>{reading}</w:t></w:r></w:rt>\
             <w:rubyBase><w:r><w:t>{base}</w:t></w:r></w:rubyBase></w:ruby></w:r>"
        )
    };
    let body = format!(
        "<w:p>{}{}<w:r><w:t>へ行く</w:t></w:r>{}</w:p>{}",
        ruby("東", "とう"),
        ruby("京", "きょう"),
        ruby("方", "ほう"),
        p("", "次")
    );
    assert_eq!(text(&document(&body)), "東京(とうきょう)へ行く方(ほう)\n\n次");
}

#[test]
fn a_large_first_letter_belongs_to_its_word() {
    let body =
        p("<w:framePr w:dropCap=\"drop\" w:lines=\"3\"/>", "O") + &p("", "nce upon a time") + &p("", "more");
    assert_eq!(text(&document(&body)), "Once upon a time\n\nmore");
}

#[test]
fn notes_stand_at_the_end() {
    let body = "<w:p><w:r><w:t>a</w:t><w:endnoteReference w:id=\"3\"/><w:t> b</w:t><w:footnoteReference w:id=\"2\"/>\
        <w:t> c</w:t><w:footnoteReference w:id=\"2\"/><w:footnoteReference w:id=\"9\"/></w:r></w:p>";
    let note = |kind: &str, id: u8, text: &str| {
        format!(
            "<w:{kind}s XMLNS><w:{kind} w:id=\"0\" w:type=\"separator\">{}</w:{kind}><w:{kind} w:id=\"{id}\">{}</w:{kind}></w:{kind}s>",
            p("", "line"),
            p("", text) + &p("", "second")
        )
    };
    let (foot, end) = (note("footnote", 2, "below"), note("endnote", 3, "behind"));
    let file = with_parts(body, &[("footnotes.xml", &foot), ("endnotes.xml", &end)]);
    assert_eq!(text(&file), "a[^1] b[^2] c[^2][^3]\n\n[^1]: behind second\n\n[^2]: below second");
}

#[test]
fn other_names_and_prefixes() {
    let root = "<R><Relationship Type=\"http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument\" Target=\"/Foo/Main.xml\"/></R>";
    let main = "<x:document xmlns:x=\"http://purl.oclc.org/ooxml/wordprocessingml/main\"><x:body><x:p><x:r><x:t>strict</x:t></x:r></x:p></x:body></x:document>";
    assert_eq!(
        text(&archive(&[("_rels/.rels", root.as_bytes()), ("foo/main.xml", main.as_bytes())])),
        "strict"
    );
    let utf16: Vec<u8> = [0xFEFF].into_iter().chain(main.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(text(&archive(&[("word/document.xml", &utf16)])), "strict");
}

#[test]
fn title() {
    let core = |title: &str| {
        let xml = format!(
            "<cp:coreProperties><dc:title>{title}</dc:title><dc:creator>me</dc:creator></cp:coreProperties>"
        );
        read(&with_parts(&p("", "x"), &[("core.xml", &xml)])).unwrap().properties.title
    };
    assert_eq!(core("Cats &amp; dogs"), Some("Cats & dogs".to_owned()));
    assert_eq!(core("  "), None);
    assert_eq!(core("Document1"), None);
    assert_eq!(read(&document(&p("", "x"))).unwrap().properties.title, None);
    // Without one the first heading is it.
    let headed = p("", "Before") + &styled("Heading2", "Pumps &amp; tanks") + &styled("Heading1", "Later");
    for core in ["", "<dc:title/>", "<dc:title>Document1</dc:title>"] {
        let core = format!("<cp:coreProperties>{core}</cp:coreProperties>");
        let title = read(&with_parts(&headed, &[("core.xml", &core)])).unwrap().properties.title;
        assert_eq!(title.as_deref(), Some("Pumps & tanks"));
    }
    assert_eq!(read(&document(&headed)).unwrap().properties.title.as_deref(), Some("Pumps & tanks"));
    let named = "<cp:coreProperties><dc:title>Own</dc:title></cp:coreProperties>";
    let title = read(&with_parts(&headed, &[("core.xml", named)])).unwrap().properties.title;
    assert_eq!(title.as_deref(), Some("Own"));
}

#[test]
fn other_files_are_named() {
    let refused = |bytes: &[u8]| read(bytes).unwrap_err();
    assert!(matches!(refused(b""), Failure::Damaged(_)));
    assert!(matches!(refused(b"PK\x03\x04 and no more"), Failure::Damaged(_)));
    assert!(matches!(refused(&archive(&[("a.txt", b"x")])), Failure::Damaged(_)));
    let root = "<R><Relationship Type=\"x/officeDocument\" Target=\"xl/workbook.xml\"/></R>";
    assert_eq!(
        refused(&archive(&[("_rels/.rels", root.as_bytes())])),
        Failure::Unsupported("an XLSX file".into())
    );
    let mut compound = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    assert_eq!(refused(&compound), Failure::Unsupported("a file of Office 97 to 2003".into()));
    compound.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(refused(&compound), Failure::Unsupported("an encrypted Office file".into()));
    // Cut in the middle of a part, the directory is missing.
    let sample = sample();
    assert!(matches!(refused(&sample[..sample.len() / 2]), Failure::Damaged(_)));
}

#[test]
fn a_document_that_breaks_off_keeps_its_beginning() {
    let main =
        "<w:document><w:body><w:p><w:r><w:t>kept</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>too";
    let read = read(&archive(&[("word/document.xml", main.as_bytes())])).unwrap();
    assert_eq!(read.pages[0].content, "kept\n\ntoo");
    assert!(read.pages[0].error.as_deref().unwrap().contains("breaks off"));
}

#[test]
fn bombs_end() {
    // Entities are not expanded: nothing of them is shown, and their size does not matter.
    let mut bomb = String::from("<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY a0 \"lol\">");
    for at in 1..30 {
        bomb.push_str(&format!("<!ENTITY a{at} \"{}\">", format!("&a{};", at - 1).repeat(10)));
    }
    bomb.push_str("]><d><body><p><r><t>x&a29;y</t></r></p></body></d>");
    assert_eq!(quick(5, || text(&archive(&[("word/document.xml", bomb.as_bytes())]))), "xy");

    let zip_bomb = zip_bomb(300);
    assert!(zip_bomb.len() < 1 << 20);
    assert!(matches!(quick(30, || read(&zip_bomb)), Err(Failure::Limit(_))));

    let nested =
        |open: &str, close: &str, n: usize| document(&format!("{}x{}", open.repeat(n), close.repeat(n)));
    assert!(matches!(quick(10, || read(&nested("<w:a>", "</w:a>", 200_000))), Err(Failure::Limit(_))));
    let tables = nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", 3_000);
    assert_eq!(quick(10, || text(&tables)), "");
    let paragraphs = nested("<w:p>", "</w:p>", 5_000);
    assert_eq!(quick(10, || text(&paragraphs)), "");
    let items: String = (0..50_000).map(|at| item(2, (at % 9) as u8, "x")).collect();
    let items = with_parts(&items, &[("numbering.xml", NUMBERING)]);
    assert!(quick(20, || text(&items)).len() > 50_000);
    let spans = table(&[&["a"]])
        .replace("<w:tcPr/>", "<w:tcPr><w:gridSpan w:val=\"4000000000\"/></w:tcPr>")
        .repeat(1000);
    assert!(quick(10, || text(&document(&spans))).len() < 1_000_000);
}
