//! PDF files made here.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

#[path = "common/quick.rs"]
mod quick;
mod samples;

use kb_rag_core::extract_protocol::Failure;
use kb_rag_extract::{File, Text, pdf};
use quick::quick;
use samples::pdf::{Content, Pdf, block, deflate, line, pdf as document, prose, zeros};

fn read(bytes: &[u8]) -> Result<Text, Failure> {
    pdf::extract(&File { bytes, ..File::default() })
}

fn pages(bytes: &[u8]) -> Vec<(String, Option<String>)> {
    let text = read(bytes).unwrap();
    assert!(text.properties.paged && !text.properties.markdown);
    text.pages.into_iter().map(|page| (page.content, page.error)).collect()
}

/// The text of a file of one page that is in order.
fn text(content: &str) -> String {
    let mut pages = pages(&document(&[content]));
    assert_eq!(pages.len(), 1);
    let (text, error) = pages.remove(0);
    assert_eq!(error, None, "{text}");
    text
}

#[test]
fn paragraphs() {
    let page = [
        line("F1", 18.0, 50.0, 750.0, "A heading"),
        block(50.0, 720.0, &["The first paragraph has", "three lines and", "ends here."]),
        block(50.0, 666.0, &["The second has two lines", "after a gap."]),
        // An indented first line after a full stop.
        line("F2", 10.0, 65.0, 642.0, "The third is indented,"),
        block(50.0, 630.0, &["and goes on.", "", "A footer"]),
    ];
    let expected = "A heading\n\nThe first paragraph has\nthree lines and\nends here.\n\nThe second has two lines\nafter a \
        gap.\n\nThe third is indented,\nand goes on.\n\nA footer";
    assert_eq!(text(&page.concat()), expected);
}

#[test]
fn the_order_of_drawing_does_not_matter() {
    let lines = block(50.0, 700.0, &["first line", "second line", "third line", "fourth line"]);
    let mut backwards: Vec<&str> = lines.lines().collect();
    backwards.reverse();
    assert_eq!(text(&backwards.join("\n")), "first line\nsecond line\nthird line\nfourth line");
    // Words one by one, and letters one by one.
    let words = [
        line("F2", 10.0, 122.0, 700.0, "word"),
        line("F2", 10.0, 50.0, 700.0, "the"),
        line("F2", 10.0, 74.0, 700.0, "second."),
    ];
    assert_eq!(text(&words.concat()), "the second. word");
    assert_eq!(
        text("BT /F2 10 Tf 50 700 Td [(sp) -50 (lit) -400 (a) 20 (t) -600 (last)] TJ ET"),
        "split at last"
    );
}

const LEFT: [&str; 6] = [
    "The left column begins here and",
    "goes on for some lines of text",
    "which fill most of its width so",
    "that nobody takes it for a part",
    "of a table. It ends before the",
    "other one begins.",
];
const RIGHT: [&str; 6] = [
    "The right column comes after it",
    "although its lines stand beside",
    "those of the other. A reader of",
    "lines would mix them and a hit",
    "in a search would quote what no",
    "one has written.",
];

#[test]
fn columns() {
    let page = [
        line("F2", 14.0, 150.0, 760.0, "A title above both of the columns"),
        block(50.0, 720.0, &LEFT),
        block(320.0, 720.0, &RIGHT),
        line("F2", 10.0, 220.0, 600.0, "a line below both of the columns"),
        block(50.0, 560.0, &LEFT),
        block(320.0, 560.0, &RIGHT[..3]),
    ];
    let (left, right) = (LEFT.join("\n"), RIGHT.join("\n"));
    let expected = format!(
        "A title above both of the columns\n\n{left}\n\n{right}\n\na line below both of the columns\n\n{left}\n\n{}",
        RIGHT[..3].join("\n")
    );
    assert_eq!(text(&page.concat()), expected);
    // Row by row in the file, and with rows that are not level.
    let rows: String = (0..6)
        .map(|row| {
            block(50.0, 720.0 - 12.0 * row as f32, &[LEFT[row]])
                + &block(320.0, 716.0 - 12.0 * row as f32, &[RIGHT[row]])
        })
        .collect();
    assert_eq!(text(&rows), format!("{left}\n\n{right}"));
}

#[test]
fn a_paragraph_goes_on_in_the_next_column() {
    let mut left = LEFT;
    left[5] = "other one and is di-";
    let mut right = RIGHT;
    right[0] = "vided there. It comes after the";
    let page = block(50.0, 720.0, &left) + &block(320.0, 720.0, &right);
    let expected = format!(
        "{}\nother one and is divided\nthere. It comes after the\n{}",
        left[..5].join("\n"),
        right[1..].join("\n")
    );
    assert_eq!(text(&page), expected);
    // A heading that reaches into the gutter, but not into the other column.
    left[2] = "A HEADING THAT IS WIDER THAN THE COLUMN";
    assert!(
        text(&(block(50.0, 720.0, &left) + &block(320.0, 720.0, &right)))
            .contains("\nA HEADING THAT IS WIDER THAN THE COLUMN\n")
    );
}

#[test]
fn three_columns() {
    let column = |word: &str| (0..8).map(|at| format!("{word} line {at} of text")).collect::<Vec<_>>();
    let page: String = ["One", "Two", "Six"]
        .iter()
        .zip([50.0, 220.0, 390.0])
        .map(|(word, x)| block(x, 700.0, &column(word).iter().map(String::as_str).collect::<Vec<_>>()))
        .collect();
    assert_eq!(text(&page), ["One", "Two", "Six"].map(|word| column(word).join("\n")).join("\n\n"));
}

#[test]
fn tables_and_contents_are_read_row_by_row() {
    let rows =
        [("Apples", "1.20"), ("Pears", "2.35"), ("Plums", "4.10"), ("Grapes", "3.99"), ("Sum", "11.64")];
    let page: String = rows
        .iter()
        .enumerate()
        .map(|(at, (name, price))| {
            block(50.0, 700.0 - 12.0 * at as f32, &[name]) + &block(400.0, 700.0 - 12.0 * at as f32, &[price])
        })
        .collect();
    assert_eq!(text(&page), rows.map(|(name, price)| format!("{name} {price}")).join("\n"));
    let entries = [
        "A chapter with a long title",
        "Another chapter of this book",
        "The third one",
        "Things at the end",
        "An index",
    ];
    let page: String = entries
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let y = 700.0 - 12.0 * at as f32;
            block(50.0, y, &[name]) + &block(500.0, y, &[&format!("{}", at * 17)])
        })
        .collect();
    assert!(text(&page).starts_with("A chapter with a long title 0\nAnother chapter of this book 17\n"));
}

#[test]
fn divided_words_and_ligatures() {
    let page = block(50.0, 700.0, &["This exam-", "ple has well-known and well-", "known words."]);
    assert_eq!(text(&page), "This example\nhas well-known and well-known\nwords.");
    assert_eq!(text("BT /F3 10 Tf 50 700 Td (\\001nd the \\002oor) Tj ET"), "find the floor");
    assert_eq!(text("BT /F3 10 Tf 50 700 Td (soft\\012) Tj 0 -12 Td (ware) Tj ET"), "software");
    // A form feed, which ends pages, and NUL are dropped.
    assert_eq!(text("BT /F3 10 Tf 50 700 Td (a\\003b\\004c) Tj ET"), "a bc");
}

#[test]
fn right_to_left() {
    // Hebrew is drawn from left to right in visual order: the last letter first.
    let page = "BT /F3 10 Tf 50 700 Td (\\010\\007 12 \\006\\005) Tj ET";
    assert_eq!(text(page), "\u{5D0}\u{5D1} 12 \u{5D2}\u{5D3}");
}

#[test]
fn small_raised_and_repeated_text() {
    let page = line("F2", 10.0, 50.0, 700.0, "area of 5 m")
        + &line("F2", 6.0, 116.0, 704.0, "2")
        + &line("F2", 10.0, 126.0, 700.0, "only");
    assert_eq!(text(&page), "area of 5 m2 only");
    let bold = line("F2", 10.0, 50.0, 700.0, "bold") + &line("F2", 10.0, 50.3, 700.0, "bold");
    assert_eq!(text(&bold), "bold");
    assert_eq!(text("BT /F2 10 Tf 2 Tr 50 700 Td (twice) Tj 30 0 Td (ll) Tj ET"), "twicell");
    assert_eq!(text("/Span << /ActualText (of) >> BDC BT /F2 10 Tf 50 700 Td (0f) Tj ET EMC"), "of");
}

#[test]
fn turned_pages_and_margins() {
    let turned = |rotate: u16, operators: &str| {
        let mut pdf = Pdf::new(&[Content::plain(operators)]);
        pdf.pages = format!("/Rotate {rotate}");
        read(&pdf.bytes()).unwrap().pages.remove(0).content
    };
    let plain = block(50.0, 700.0, &["one line", "two lines"]);
    assert_eq!(turned(180, &plain), "one line\ntwo lines");
    let upwards = "BT /F2 10 Tf 0 1 -1 0 100 100 Tm (one line) Tj 0 -12 Td (two lines) Tj ET";
    assert_eq!(turned(0, upwards), "one line\ntwo lines");
    assert_eq!(turned(90, upwards), "one line\ntwo lines");
    // A little askew, as scans are.
    assert_eq!(
        turned(0, "BT /F2 10 Tf 1 0.02 -0.02 1 50 700 Tm (one line of a scan) Tj 0 -12 Td (two lines) Tj ET"),
        "one line of a scan\ntwo lines"
    );
    // A watermark does not disturb.
    let mark = "BT /F2 40 Tf 0.7 0.7 -0.7 0.7 100 300 Tm (DRAFT) Tj ET";
    assert_eq!(turned(0, &format!("{mark}\n{plain}")), "one line\ntwo lines\n\nDRAFT");
    let mut pdf = Pdf::new(&[Content::plain(&(plain + &line("F2", 10.0, 50.0, 20.0, "cropped")))]);
    pdf.pages = "/CropBox [0 100 600 800]".into();
    assert_eq!(read(&pdf.bytes()).unwrap().pages[0].content, "one line\ntwo lines");
}

#[test]
fn a_broken_page_costs_only_itself() {
    let good = Content::packed(&line("F1", 10.0, 50.0, 700.0, "a good page"));
    let mut garbage = good.clone();
    garbage.data = b"this was never packed".to_vec();
    let mut cut = Content::packed(&prose(1));
    cut.data.truncate(cut.data.len() / 2);
    let unknown = Content { entries: "/Filter /DCTDecode".into(), data: b"no content".to_vec() };
    let noise = Content::plain("\u{1}\u{2} 12 34 xyz \u{7f}(abc)");
    let mut pdf = Pdf::new(&[good.clone(), garbage, cut, unknown, noise]);
    pdf.page("/Contents 999 0 R");
    pdf.page("/Contents (text)");
    let part = pdf.stream(&good.entries, &good.data);
    pdf.page(&format!("/Contents [{part} 0 R 999 0 R]"));
    pdf.page(&format!("/Contents {part} 0 R"));
    let pages = pages(&pdf.bytes());
    let errors: Vec<Option<&str>> = pages.iter().map(|(_, error)| error.as_deref()).collect();
    assert_eq!(
        errors,
        [
            None,
            Some("the content of the page cannot be unpacked"),
            Some("the content of the page is damaged; some of it may be missing"),
            Some("the content of the page cannot be unpacked"),
            Some("the content of the page makes no sense"),
            Some("the content of the page is missing"),
            Some("the content of the page is missing"),
            Some("a part of the page's content is missing"),
            None,
        ]
    );
    let texts: Vec<&str> = pages.iter().map(|(text, _)| text.as_str()).collect();
    assert!(texts[2].starts_with("Chapter 1\n\nLine 0 of paragraph 0"), "{}", texts[2]);
    for (at, text) in texts.iter().enumerate().filter(|(at, _)| *at != 2) {
        assert_eq!(*text, if [0, 7, 8].contains(&at) { "a good page" } else { "" }, "page {at}");
    }
}

#[test]
fn pages_without_text() {
    let image = "q 500 0 0 700 50 50 cm /I1 Do Q";
    let inline = "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q";
    let scan = Some("the page has no text, only images".to_owned());
    assert_eq!(read(&document(&[image])), Err(Failure::NoText { pages: 1 }));
    assert_eq!(read(&document(&[inline, "", image])), Err(Failure::NoText { pages: 3 }));
    let drawing = "0 0 m 100 100 l S 10 10 50 50 re f";
    let all = pages(&document(&[image, "", "q Q BT ET", drawing, "BT /F1 10 Tf 50 700 Td (text) Tj ET"]));
    let expected = [("", scan.clone()), ("", None), ("", None), ("", None), ("text", None)];
    assert_eq!(all, expected.map(|(text, error)| (text.to_owned(), error)));
    // Only blank pages are no failure.
    assert_eq!(pages(&document(&["", drawing])), [(String::new(), None), (String::new(), None)]);
    // Text that a program for OCR has laid under a scan.
    assert_eq!(text(&format!("{image} BT /F1 10 Tf 3 Tr 50 700 Td (recognized) Tj ET")), "recognized");
    assert_eq!(text("/X1 Do"), "in a form");
    let (text, error) = pages(&document(&["BT /F4 10 Tf 50 700 Td <00010002> Tj ET", "BT ET"])).remove(0);
    assert_eq!(text, "");
    assert_eq!(
        error.as_deref(),
        Some("the fonts of the page do not say which characters 2 of its 2 glyphs are")
    );
}

#[test]
fn properties() {
    let mut pdf = Pdf::new(&[Content::plain(&prose(1))]);
    pdf.info = "/Title <FEFF00DC0062006500720020>".into();
    pdf.catalog = "/Lang (de_DE)".into();
    let properties = read(&pdf.bytes()).unwrap().properties;
    assert_eq!((properties.title.as_deref(), properties.language.as_deref()), (Some("Über"), Some("de-DE")));
    let mut pdf = Pdf::new(&[Content::plain(&prose(1))]);
    pdf.info = "/Title (Microsoft Word - Untitled-1.doc)".into();
    let xmp = pdf.stream(
        "/Type /Metadata",
        b"<rdf:RDF><dc:title><rdf:Alt><rdf:li>From XMP</rdf:li></rdf:Alt></dc:title></rdf:RDF>",
    );
    pdf.catalog = format!("/Lang (English) /Metadata {xmp} 0 R");
    let properties = read(&pdf.bytes()).unwrap().properties;
    assert_eq!((properties.title.as_deref(), properties.language), (Some("From XMP"), None));
}

#[test]
fn files_that_are_none() {
    for bytes in
        [&b""[..], b"%PDF-1.7", b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj", &[0; 1000], b"hello"]
    {
        assert!(matches!(read(bytes), Err(Failure::Damaged(_))), "{:?}", read(bytes));
    }
    assert_eq!(read(&document(&[])), Err(Failure::Damaged("it has no pages".into())));
    // Without its end, the objects are found by looking for them.
    let whole = document(&["BT /F1 10 Tf 50 700 Td (text) Tj ET"]);
    let end = whole.windows(4).position(|window| window == b"xref").unwrap();
    assert_eq!(read(&whole[..end]).unwrap().pages[0].content, "text");
}

#[test]
fn trees_of_pages() {
    let mut pdf = Pdf::new(&[]);
    let content = pdf.stream("", line("F1", 10.0, 50.0, 700.0, "text").as_bytes());
    let page =
        pdf.add(&format!("<< /Type /Page /Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"));
    // A tree that contains itself.
    let cycle = pdf.raw(&format!("<< /Type /Pages /Count 3 /Kids [2 0 R {page} 0 R 2 0 R] >>"));
    assert_eq!(quick(5, || pages(&cycle)), [("text".to_owned(), None)]);
    // A tree as deep as a stack.
    let mut node = page;
    for _ in 0..20_000 {
        node = pdf.add(&format!("<< /Type /Pages /Count 1 /Kids [{node} 0 R] >>"));
    }
    let deep = pdf.raw(&format!("<< /Type /Pages /Count 1 /Kids [{node} 0 R] >>"));
    assert_eq!(quick(20, || pages(&deep)), [("text".to_owned(), None)]);
}

#[test]
fn nesting() {
    let text_line = line("F1", 10.0, 50.0, 700.0, "text");
    let nested =
        |open: &str, close: &str, n: usize| format!("{}{text_line}{}", open.repeat(n), close.repeat(n));
    for content in [
        nested("q ", "Q ", 100_000),
        nested("q ", "", 100_000),
        nested("/P BMC ", "EMC ", 100_000),
        nested("BT ", "ET ", 50_000),
    ] {
        let pages = quick(20, || pages(&document(&[&content])));
        assert_eq!(pages[0].0, "text");
    }
    for open in ["[", "<<", "<< /A ", "("] {
        let content = format!("{text_line}{}", open.repeat(50_000));
        assert_eq!(quick(20, || pages(&document(&[&content])))[0].0, "text", "{open}");
    }
}

#[test]
fn forms_that_draw_forms() {
    let mut pdf = Pdf::new(&[]);
    let mut form = 7;
    for _ in 0..40 {
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /N {form} 0 R >> >>"
        );
        form = pdf.stream(&entries, b"/N Do /N Do");
    }
    let content = pdf.stream("", (line("F1", 10.0, 50.0, 700.0, "text") + "/N Do").as_bytes());
    pdf.page(&format!(
        "/Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /N {form} 0 R >> >>"
    ));
    let pages = quick(100, || pages(&pdf.bytes()));
    assert_eq!(pages[0].1.as_deref(), Some("the page is too large: only its beginning was read"));
    assert!(pages[0].0.starts_with("text"));
}

const FORM: &str = "/Type /XObject /Subtype /Form /BBox [0 0 600 800]";
const TOO_LARGE: &str = "the page is too large: only its beginning was read";
const BARE: &str = "the page is too large: only the text outside its forms was read";

/// The text and the error of a page that says "text", has these resources, and then this content. A page that costs
/// too much takes seconds, and may take hours if it is drawn as it is.
fn heavy(mut pdf: Pdf, resources: &str, content: &str) -> (String, Option<String>) {
    let content = line("F1", 10.0, 50.0, 700.0, "text") + content;
    let content = pdf.stream("/Filter /FlateDecode", &deflate(content.as_bytes()));
    pdf.page(&format!("/Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> {resources} >>"));
    let (text, error) = quick(100, || pages(&pdf.bytes())).remove(0);
    assert!(text.starts_with("text"), "{text}");
    (text, error)
}

#[test]
fn forms_without_resources() {
    // The name is that of the page's resources: each form draws itself, or another one that draws it.
    for times in [2, 10, 100, 1_000] {
        for forms in 1..=3 {
            let mut pdf = Pdf::new(&[]);
            let mut names = String::new();
            for form in 0..forms {
                let next = format!("/X{} Do ", (form + 1) % forms).repeat(times);
                let number = pdf.stream(FORM, next.as_bytes());
                names.push_str(&format!("/X{form} {number} 0 R "));
            }
            let (_, error) = heavy(pdf, &format!("/XObject << {names} >>"), "/X0 Do");
            assert_eq!(error.as_deref(), Some(TOO_LARGE), "{times} {forms}");
        }
    }
    // A form that draws itself once is read, and so is one that finds itself in its own resources.
    let mut pdf = Pdf::new(&[]);
    let form = pdf.stream(FORM, b"/X Do");
    assert_eq!(heavy(pdf, &format!("/XObject << /X {form} 0 R >>"), "/X Do").1, None);
    let mut pdf = Pdf::new(&[]);
    let own = format!("{FORM} /Resources << /XObject << /X 9 0 R >> >>");
    assert_eq!(pdf.stream(&own, "/X Do ".repeat(1_000).as_bytes()), 9);
    assert_eq!(heavy(pdf, "/XObject << /X 9 0 R >>", "/X Do").1, None);
}

#[test]
fn steps_that_the_device_does_not_see() {
    let nothing = "q 1 w Q ".repeat(200_000);
    let packed = |pdf: &mut Pdf, entries: &str, content: &str| {
        pdf.stream(&format!("{FORM} /Filter /FlateDecode {entries}"), &deflate(content.as_bytes()))
    };
    let error = |entries: &str, form: &str, content: &str| {
        let mut pdf = Pdf::new(&[]);
        assert_eq!(pdf.add("<< /Type /OCG /Name (hidden) >>"), 9);
        pdf.catalog = "/OCProperties << /OCGs [9 0 R] /D << /OFF [9 0 R] >> >>".into();
        let form = packed(&mut pdf, entries, form);
        let mask = packed(&mut pdf, "", &nothing);
        let resources = format!(
            "/XObject << /X {form} 0 R >> /Properties << /OC 9 0 R >> \
             /ExtGState << /G << /SMask << /S /Alpha /G {mask} 0 R >> >> >>"
        );
        heavy(pdf, &resources, content).1
    };
    let (large, bare) = (Some(TOO_LARGE.to_owned()), Some(BARE.to_owned()));
    // Forms that paint nothing, or nothing that is seen.
    for entries in ["", "/OC 9 0 R"] {
        assert_eq!(error(entries, &nothing, &"/X Do ".repeat(10)), None);
        assert_eq!(error(entries, &nothing, &"/X Do ".repeat(1_000)), bare);
    }
    assert_eq!(error("", &nothing, &"/X Do ".repeat(80)), large);
    assert_eq!(error("", &nothing, &format!("/OC /OC BDC {} EMC", "/X Do ".repeat(1_000))), bare);
    // A soft mask is unpacked when it is set.
    assert_eq!(error("", "", &"/G gs ".repeat(10)), None);
    assert_eq!(error("", "", &"/G gs ".repeat(1_000)), bare);
    assert_eq!(error("", &"/G gs ".repeat(1_000), "/X Do"), bare);
}

#[test]
fn patterns_masks_glyphs_and_annotations() {
    let error = Some(TOO_LARGE.to_owned());
    // What is not drawn here does not count: patterns, masks and the drawings of glyphs.
    for times in [1, 1_000] {
        let mut pdf = Pdf::new(&[]);
        let tile = "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9";
        let scene = "/Pattern cs /P scn 0 0 9 9 re f /G gs 0 0 9 9 re f BT /T 9 Tf (aaaa) Tj ET ";
        let tile = pdf.stream(tile, scene.repeat(times).as_bytes());
        let mask =
            pdf.stream(&format!("{FORM} /Group << /S /Transparency >>"), scene.repeat(times).as_bytes());
        let glyph = pdf.stream("", (String::from("9 0 d0 ") + &scene.repeat(times)).as_bytes());
        let font = pdf.add(&format!(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [.1 0 0 .1 0 0] /FirstChar 97 /LastChar 97 \
             /Widths [9] /Encoding << /Differences [97 /a] >> /CharProcs << /a {glyph} 0 R >> >>"
        ));
        let content = pdf.stream("", (line("F1", 10.0, 50.0, 700.0, "text") + scene).as_bytes());
        pdf.page(&format!(
            "/Contents {content} 0 R /Resources << /Font << /F1 3 0 R /T {font} 0 R >> /Pattern << /P {tile} 0 R >> \
             /ExtGState << /G << /SMask << /S /Alpha /G {mask} 0 R >> >> >> >>"
        ));
        let page = quick(100, || pages(&pdf.bytes())).remove(0);
        assert!(page.0.starts_with("text"), "{}", page.0);
        assert_eq!(page.1, None);
    }
    // An annotation is a form, and one without resources finds those of the page.
    let annotated = |appearance: &str, content: &str| {
        let mut pdf = Pdf::new(&[]);
        let form = pdf.stream(FORM, content.as_bytes());
        let annotation = pdf.add(&format!(
            "<< /Type /Annot /Subtype /Stamp /Rect [0 0 600 800] /AS /On /AP << /N {} >> >>",
            appearance.replace('#', &form.to_string())
        ));
        let text = pdf.stream("", line("F1", 10.0, 50.0, 700.0, "text").as_bytes());
        pdf.page(&format!(
            "/Contents {text} 0 R /Annots [{annotation} 0 R] \
             /Resources << /Font << /F1 3 0 R >> /XObject << /X {form} 0 R >> >>"
        ));
        quick(100, || pages(&pdf.bytes())).remove(0)
    };
    let nothing = "q 1 w Q ".repeat(200_000) + "/X Do";
    assert_eq!(annotated("# 0 R", &nothing), ("text".to_owned(), error.clone()));
    for appearance in ["# 0 R", "<< /On # 0 R >>", "<< /Off # 0 R >>"] {
        for content in ["/X Do /X Do", &"/X Do ".repeat(1_000), &("q Q ".repeat(20_000) + "/X Do /X Do")] {
            assert_eq!(annotated(appearance, content), ("text".to_owned(), error.clone()), "{appearance}");
        }
    }
    let stamp = annotated("# 0 R", "BT /F1 10 Tf 50 650 Td (stamp) Tj ET");
    assert_eq!(stamp, ("text\n\nstamp".to_owned(), None));
}

#[test]
fn all_pages_together() {
    // Each page may be drawn, and all of them together not. They hide what they count for.
    let mut pdf = Pdf::new(&[]);
    let group = pdf.add("<< /Type /OCG /Name (hidden) >>");
    pdf.catalog = format!("/OCProperties << /OCGs [{group} 0 R] /D << /OFF [{group} 0 R] >> >>");
    let nothing = pdf.stream(FORM, b"q Q");
    let often = pdf.stream(FORM, "/Y Do ".repeat(80_000).as_bytes());
    let content = line("F1", 10.0, 50.0, 700.0, "text") + "/OC /OC BDC /X Do EMC";
    let content = pdf.stream("", content.as_bytes());
    for _ in 0..100 {
        pdf.page(&format!(
            "/Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> /Properties << /OC {group} 0 R >> \
             /XObject << /X {often} 0 R /Y {nothing} 0 R >> >>"
        ));
    }
    let pages = quick(100, || pages(&pdf.bytes()));
    let read = pages.iter().take_while(|page| **page == ("text".to_owned(), None)).count();
    // Of the 100,000,000 steps of a file, each form takes more than 50.
    assert!((20..25).contains(&read), "{read}");
    let rest = (String::new(), Some("the file is too large: this page was not read".to_owned()));
    assert!(pages.iter().skip(read).all(|page| *page == rest));
}

#[test]
fn stream_bombs() {
    let bomb = |times: usize| {
        let mut data = zeros(300);
        for _ in 1..times {
            data = deflate(&data);
        }
        let filters = "/FlateDecode ".repeat(times);
        Content { entries: format!("/Filter [{filters}]"), data }
    };
    let good = Content::plain(&line("F1", 10.0, 50.0, 700.0, "text"));
    let file = Pdf::new(&[bomb(1), bomb(2), good]).bytes();
    assert!(file.len() < 1 << 20);
    let pages = quick(60, || pages(&file));
    let error = Some("the content of the page exceeds 256 MB".to_owned());
    assert_eq!(pages, [(String::new(), error.clone()), (String::new(), error), ("text".to_owned(), None)]);
}

#[test]
fn ten_thousand_pages() {
    let contents: Vec<Content> =
        (0..10_000).map(|at| Content::plain(&line("F1", 10.0, 50.0, 700.0, &format!("page {at}")))).collect();
    let file = Pdf::new(&contents).bytes();
    let pages = quick(60, || pages(&file));
    assert_eq!(pages.len(), 10_000);
    for (at, (text, error)) in pages.iter().enumerate() {
        assert_eq!((text.as_str(), error), (format!("page {at}").as_str(), &None));
    }
}
