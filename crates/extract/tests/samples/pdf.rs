//! A small writer of PDF files.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compress, Compression, FlushCompress};

/// What a page has: its content stream.
#[derive(Clone)]
pub struct Content {
    /// Entries for the stream's dictionary, such as a filter.
    pub entries: String,
    pub data: Vec<u8>,
}

impl Content {
    pub fn plain(operators: &str) -> Self {
        Self { entries: String::new(), data: operators.as_bytes().to_vec() }
    }

    pub fn packed(operators: &str) -> Self {
        Self { entries: "/Filter /FlateDecode".into(), data: deflate(operators.as_bytes()) }
    }
}

/// The objects of a file.
#[derive(Default)]
pub struct Pdf {
    objects: Vec<Vec<u8>>,
    /// Entries for the catalog.
    pub catalog: String,
    /// The information dictionary.
    pub info: String,
    /// Entries for all pages.
    pub pages: String,
}

/// The resources of all pages: F1 is Helvetica, F2 Courier, F3 Helvetica with other characters, I1 an image, X1 a form.
const RESOURCES: &str =
    "/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R /F4 8 0 R >> /XObject << /I1 6 0 R /X1 7 0 R >> >>";

impl Pdf {
    /// A file with these pages.
    pub fn new(contents: &[Content]) -> Self {
        // The catalog and the tree of pages come last but are the first objects.
        let mut pdf = Self { objects: vec![Vec::new(), Vec::new()], ..Self::default() };
        pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
        pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>");
        pdf.add(
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences \
             [1 /fi /fl /uni000C /controlNULL /afii57664 /afii57665 /afii57666 /afii57667 /uni0301 /softhyphen] >> >>",
        );
        pdf.stream(
            "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
            b"\x80",
        );
        pdf.stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 600 800]",
            b"BT /F1 10 Tf 50 50 Td (in a form) Tj ET",
        );
        pdf.add(
            "<< /Type /Font /Subtype /Type0 /BaseFont /None /Encoding /Identity-H /DescendantFonts [<< /Type /Font \
             /Subtype /CIDFontType2 /BaseFont /None /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) \
             /Supplement 0 >> /DW 1000 >>] >>",
        );
        for content in contents {
            let stream = pdf.stream(&content.entries, &content.data);
            pdf.page(&format!("/Contents {stream} 0 R"));
        }
        pdf
    }

    /// Adds an object and returns its number.
    pub fn add(&mut self, object: &str) -> usize {
        self.objects.push(object.as_bytes().to_vec());
        self.objects.len()
    }

    /// Adds a stream and returns its number.
    pub fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        object.extend_from_slice(data);
        object.extend_from_slice(b"\nendstream");
        self.objects.push(object);
        self.objects.len()
    }

    /// Adds a page.
    pub fn page(&mut self, entries: &str) {
        self.objects.push(format!("<< /Type /Page /Parent 2 0 R {entries} >>").into_bytes());
    }

    /// The bytes of the file, with the pages in the order in which they were added.
    pub fn bytes(mut self) -> Vec<u8> {
        let is_page = |object: &[u8]| object.starts_with(b"<< /Type /Page ");
        let kids: Vec<String> = (1..=self.objects.len())
            .filter(|number| is_page(&self.objects[number - 1]))
            .map(|number| format!("{number} 0 R"))
            .collect();
        let tree = format!(
            "<< /Type /Pages /MediaBox [0 0 600 800] {RESOURCES} {} /Count {} /Kids [{}] >>",
            self.pages,
            kids.len(),
            kids.join(" ")
        );
        self.raw(&tree)
    }

    /// The bytes of the file with this tree of pages.
    pub fn raw(&mut self, tree: &str) -> Vec<u8> {
        self.objects[0] = format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.catalog).into_bytes();
        self.objects[1] = tree.as_bytes().to_vec();
        let mut out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut table = String::new();
        for (at, object) in self.objects.iter().enumerate() {
            writeln!(table, "{:010} 00000 n ", out.len()).unwrap();
            writeln!(out, "{} 0 obj", at + 1).unwrap();
            out.extend_from_slice(object);
            out.extend_from_slice(b"\nendobj\n");
        }
        let start = out.len();
        let size = self.objects.len() + 1;
        let info = if self.info.is_empty() { String::new() } else { format!("/Info << {} >>", self.info) };
        write!(out, "xref\n0 {size}\n0000000000 65535 f \n{table}").unwrap();
        write!(out, "trailer\n<< /Size {size} /Root 1 0 R {info} >>\nstartxref\n{start}\n%%EOF\n").unwrap();
        out
    }
}

/// A file with a page of each of these contents, not packed.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    Pdf::new(&pages.iter().map(|page| Content::plain(page)).collect::<Vec<_>>()).bytes()
}

pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// So many megabytes of NUL, packed.
pub fn zeros(megabytes: usize) -> Vec<u8> {
    let mut block = Vec::with_capacity(1 << 20);
    let mut deflate = Compress::new(Compression::best(), false);
    deflate.compress_vec(&vec![0; 1 << 20], &mut block, FlushCompress::Full).unwrap();
    let header: &[u8] = b"\x78\x9C";
    let end: &[u8] = b"\x03\x00";
    [header, &block.repeat(megabytes), end].concat()
}

/// A string of PDF.
pub fn literal(text: &str) -> String {
    format!("({})", text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)"))
}

/// A line of text in font F1 (Helvetica), F2 (Courier) and so on.
pub fn line(font: &str, size: f32, x: f32, y: f32, text: &str) -> String {
    format!("BT /{font} {size} Tf {x} {y} Td {} Tj ET\n", literal(text))
}

/// Lines in Courier of 10 points, 12 points apart, from the top.
pub fn block(x: f32, top: f32, lines: &[&str]) -> String {
    lines.iter().enumerate().map(|(at, text)| line("F2", 10.0, x, top - 12.0 * at as f32, text)).collect()
}

/// A page of prose.
pub fn prose(number: usize) -> String {
    let mut page = line("F1", 16.0, 50.0, 760.0, &format!("Chapter {number}"));
    for paragraph in 0..8 {
        for row in 0..5 {
            let text = format!(
                "Line {row} of paragraph {paragraph} on page {number} says what lines say in such a book."
            );
            page.push_str(&line(
                "F1",
                10.0,
                50.0,
                730.0 - 85.0 * paragraph as f32 - 12.0 * row as f32,
                &text,
            ));
        }
    }
    page
}

/// Small files with something of everything.
pub fn samples() -> Vec<Vec<u8>> {
    let form = "/X1 Do q 50 0 0 50 50 50 cm /I1 Do Q BI /W 1 /H 1 /BPC 8 /CS /G ID x EI";
    let marked =
        "/Span << /ActualText (of) >> BDC BT /F3 10 Tf 50 700 Td [(\\001\\005\\006) 20 <07>] TJ ET EMC";
    let plain = Pdf::new(&[Content::plain(&prose(1)), Content::plain(form), Content::plain(marked)]);
    let mut packed =
        Pdf::new(&[Content::packed(&prose(1)), Content::packed(&(block(50.0, 700.0, &["a-", "b"]) + form))]);
    packed.info = "/Title (A title)".into();
    packed.catalog = "/Lang (de)".into();
    packed.pages = "/Rotate 90 /CropBox [0 0 500 500]".into();
    vec![plain.bytes(), packed.bytes(), annotated()]
}

/// A form with fields of all kinds and a note.
fn annotated() -> Vec<u8> {
    let mut pdf = Pdf::new(&[]);
    let parent = pdf.add("<< /FT /Tx /V (inherited) /DA (/Helv 9 Tf) /Ff 16777216 >>");
    let entries = [
        &format!("/Widget /Parent {parent} 0 R"),
        "/Widget /FT /Tx /V <FEFF00E4> /Ff 4096",
        "/Widget /FT /Ch /V [(a) (b)] /Opt [[(a) (A)] (b)] /I [0 1]",
        "/Widget /FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes 7 0 R >> >>",
        "/FreeText /Contents (free) /AP << /N 7 0 R >>",
        "/Text /Contents (note) /T (Ann)",
    ];
    let number = |pdf: &mut Pdf, (at, entries): (usize, &&str)| {
        let y = 700 - 40 * at;
        pdf.add(&format!("<< /Type /Annot /Rect [50 {y} 90 {}] /Subtype {entries} >>", y + 20))
    };
    let all: Vec<String> =
        entries.iter().enumerate().map(|entry| format!("{} 0 R", number(&mut pdf, entry))).collect();
    let content = pdf.stream("", prose(1).as_bytes());
    pdf.catalog = "/AcroForm << /NeedAppearances true >>".into();
    pdf.page(&format!("/Contents {content} 0 R /Annots [{}]", all.join(" ")));
    pdf.bytes()
}
