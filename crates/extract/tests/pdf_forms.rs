//! Forms and notes in PDF files made here.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests fail their test

#[path = "common/quick.rs"]
mod quick;
mod samples;

use kb_rag_extract::{File, pdf};
use quick::quick;
use samples::pdf::{Pdf, line};

/// A form with some objects that annotations refer to: `#0` is the first of them.
struct Form {
    /// Entries of the form itself.
    entries: &'static str,
    content: String,
    /// Dictionaries, or streams that draw something: their content.
    objects: Vec<String>,
    annotations: Vec<String>,
}

impl Form {
    fn new(content: String, annotations: &[&str]) -> Self {
        let annotations = annotations.iter().map(|entries| (*entries).to_owned()).collect();
        Self { entries: "", content, objects: Vec::new(), annotations }
    }

    fn with_objects(mut self, objects: &[&str]) -> Self {
        self.objects = objects.iter().map(|object| (*object).to_owned()).collect();
        self
    }

    fn with_entries(self, entries: &'static str) -> Self {
        Self { entries, ..self }
    }

    fn read(&self) -> Vec<(String, Option<String>)> {
        let mut pdf = Pdf::new(&[]);
        pdf.catalog = format!("/AcroForm << {} >>", self.entries);
        let box_of =
            "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>";
        let mut numbers = Vec::new();
        for object in &self.objects {
            let number = match object.starts_with("<<") {
                true => pdf.add(&refer(object, &numbers)),
                false => pdf.stream(box_of, object.as_bytes()),
            };
            numbers.push(number);
        }
        let annotations: Vec<String> = self
            .annotations
            .iter()
            .map(|entries| pdf.add(&format!("<< /Type /Annot {} >>", refer(entries, &numbers))))
            .map(|number| format!("{number} 0 R"))
            .collect();
        let stream = pdf.stream("", self.content.as_bytes());
        pdf.page(&format!("/Contents {stream} 0 R /Annots [{}]", annotations.join(" ")));
        let bytes = pdf.bytes();
        let text = pdf::extract(&File { bytes: &bytes, ..File::default() }).unwrap();
        text.pages.into_iter().map(|page| (page.content, page.error)).collect()
    }

    /// The text of the page, its paragraphs parted by " / ".
    fn text(&self) -> String {
        let (text, error) = self.read().remove(0);
        assert_eq!(error, None, "{text}");
        text.replace("\n\n", " / ")
    }
}

fn refer(entries: &str, numbers: &[usize]) -> String {
    let with = |entries: String, (at, number): (usize, &usize)| {
        entries.replace(&format!("#{at}"), &format!("{number} 0 R"))
    };
    numbers.iter().enumerate().fold(entries.to_owned(), with)
}

/// Labels at the left edge, 40 points apart from 700 downwards.
fn labels(labels: &[&str]) -> String {
    (0_u16..)
        .zip(labels)
        .map(|(at, text)| line("F1", 12.0, 60.0, 700.0 - 40.0 * f32::from(at), text))
        .collect()
}

const FIRST: &str = "/Subtype /Widget /Rect [220 692 420 714]";
const SECOND: &str = "/Subtype /Widget /Rect [220 652 420 674]";
const BOX: &str = "/Subtype /Widget /FT /Btn /Rect [220 697 232 709]";

#[test]
fn values_that_are_not_drawn() {
    let first = format!("{FIRST} /FT /Tx /V (Mustermann) /DA (/Helv 12 Tf 0 g)");
    let second = format!("{SECOND} /FT /Tx /V <FEFF004D00FC006E006300680065006E>");
    let form = Form::new(labels(&["Surname:", "Place:", "Date:"]), &[&first, &second]);
    assert_eq!(form.text(), "Surname: Mustermann / Place: München / Date:");
    // The kind and the value are those of the field above.
    let form = Form::new(labels(&["Surname:"]), &[&format!("{FIRST} /Parent #1")])
        .with_objects(&["<< /FT /Tx /T (all) >>", "<< /Parent #0 /V (inherited) >>"]);
    assert_eq!(form.text(), "Surname: inherited");
    for (value, expected) in [
        ("/V (first\\rsecond) /Ff 4096", "Text: first\nsecond"),
        ("/RV (<body xmlns=\"x\"><p>rich &amp; <b>bold</b></p></body>)", "Text: rich & bold"),
        ("/V #0", "Text: of a stream"),
        ("/V (secret) /Ff 8192", "Text:"),
        ("/V (hidden) /F 2", "Text:"),
        ("/V () ", "Text:"),
        ("/V null", "Text:"),
    ] {
        let form = Form::new(labels(&["Text:"]), &[&format!("{FIRST} /FT /Tx {value}")]);
        assert_eq!(form.with_objects(&["of a stream"]).text(), expected, "{value}");
    }
}

#[test]
fn values_that_are_drawn_come_once() {
    let drawn = "BT /F1 10 Tf 2 6 Td (1.234,00) Tj ET";
    let widget = format!("{FIRST} /FT /Tx /V (1234) /AP << /N #0 >>");
    let form = Form::new(labels(&["Amount:"]), &[&widget]).with_objects(&[drawn]);
    assert_eq!(form.text(), "Amount: 1.234,00");
    // A viewer draws it again.
    let form = form.with_entries("/NeedAppearances true");
    assert_eq!(form.text(), "Amount: 1234");
    // A program may draw an empty field.
    let form = Form::new(labels(&["Amount:"]), &[&widget]).with_objects(&["/Tx BMC EMC"]);
    assert_eq!(form.text(), "Amount: 1234");
    // Letters in boxes are one word.
    let comb = "BT /F1 10 Tf 2 6 Td (D) Tj 25 0 Td (E) Tj 25 0 Td (8) Tj 25 0 Td (9) Tj ET";
    let widget = format!("{FIRST} /FT /Tx /V (DE89) /Ff 16777216 /MaxLen 8 /AP << /N #0 >>");
    let form = Form::new(labels(&["IBAN:"]), &[&widget]).with_objects(&[comb]);
    assert_eq!(form.text(), "IBAN: DE89");
}

#[test]
fn labels_and_values_are_no_columns() {
    let names = [
        "Surname of the applicant as in the passport",
        "Place where the applicant was born",
        "Street and number",
    ];
    let content = labels(&[names, names].concat());
    let widgets: Vec<String> = (0..6)
        .map(|at| {
            let y = 692 - 40 * at;
            let value = "a value of several words that is long";
            format!("/Subtype /Widget /FT /Tx /V ({value} {at}) /Rect [330 {y} 560 {}]", y + 22)
        })
        .collect();
    let widgets: Vec<&str> = widgets.iter().map(String::as_str).collect();
    let text = Form::new(content, &widgets).text();
    for at in 0..6 {
        let row = format!("{} a value of several words that is long {at}", names[at % 3]);
        assert!(text.contains(&row), "{row} in {text}");
    }
}

#[test]
fn choices() {
    let options = "/Opt [[(de) (Germany)] [(at) (Austria)] (France)]";
    for (value, expected) in [
        ("/V (at) /Ff 131072", "Country: Austria"),
        ("/V (France) /Ff 131072", "Country: France"),
        ("/V (Elsewhere) /Ff 393216", "Country: Elsewhere"),
        ("/V [(de) (France)]", "Country: Germany, France"),
        ("/I [0 1]", "Country: Germany, Austria"),
        ("", "Country:"),
    ] {
        let form = Form::new(labels(&["Country:"]), &[&format!("{FIRST} /FT /Ch {options} {value}")]);
        assert_eq!(form.text(), expected, "{value}");
    }
    // A list shows all of its options.
    let list = "BT /F1 8 Tf 2 12 Td (Germany) Tj 0 -9 Td (Austria) Tj ET";
    let form =
        Form::new(labels(&["Country:"]), &[&format!("{FIRST} /FT /Ch {options} /V (at) /AP << /N #0 >>")]);
    assert_eq!(form.with_objects(&[list]).text(), "Country: Austria");
}

#[test]
fn boxes() {
    let states = "/AP << /N << /Yes #0 /Off #1 >> >>";
    for (value, expected) in [
        ("/V /Yes /AS /Yes", "Agreed: [x] Yes"),
        ("/V /Off /AS /Off", "Agreed: [ ]"),
        ("", "Agreed: [ ]"),
        ("/V /On /AS /On", "Agreed: [x]"),
        ("/V /Yes", "Agreed: [x] Yes"),
        ("/V /2 /AS /2", "Agreed: [x]"),
        ("/V /1 /AS /1 /Opt [(by post) (by mail)]", "Agreed: [x] by mail"),
        ("/V /Yes /AS /Yes /F 2", "Agreed:"),
        ("/Ff 65536 /V /Yes /MK << /CA (Send) >>", "Agreed:"),
    ] {
        let form = Form::new(labels(&["Agreed:"]), &[&format!("{BOX} {value}")]);
        assert_eq!(form.text(), expected, "{value}");
    }
    let drawn = ["BT /F1 10 Tf 2 2 Td (4) Tj ET", "q Q"];
    for (value, entries, expected) in [
        ("/AS /Yes", "", "Agreed: [x] Yes"),
        ("/AS /Off", "", "Agreed: [ ]"),
        ("/V /Yes", "", "Agreed: [x] Yes"),
        // A program that filled it left the state to the viewer.
        ("/V /Yes /AS /Off", "/NeedAppearances true", "Agreed: [x] Yes"),
        ("/V /Yes /AS /Off", "", "Agreed: [ ]"),
    ] {
        let form = Form::new(labels(&["Agreed:"]), &[&format!("{BOX} {states} {value}")]);
        assert_eq!(form.with_objects(&drawn).with_entries(entries).text(), expected, "{value}");
    }
    // The button of a group whose state is its value, and its label is not repeated.
    let content = line("F1", 12.0, 80.0, 700.0, "card") + &line("F1", 12.0, 180.0, 700.0, "cash");
    let button = |x: u16, state: &str| {
        format!(
            "/Subtype /Widget /Rect [{x} 697 {} 709] /Parent #2 /AP << /N << /{state} #0 /Off #1 >> >>",
            x + 12
        )
    };
    let group = "<< /FT /Btn /Ff 32768 /V /cash >>";
    let form = Form::new(content, &[&button(60, "card"), &button(160, "cash")]);
    assert_eq!(form.with_objects(&[drawn[0], drawn[1], group]).text(), "[ ] card [x] cash");
}

#[test]
fn texts_and_notes() {
    let content = labels(&["One line of the page", "Another line"]);
    let free =
        "/Subtype /FreeText /Rect [60 560 400 620] /Contents (Typed on it\\nin two lines) /DA (/Helv 10 Tf)";
    let note = "/Subtype /Text /Rect [500 700 520 720] /T (Ann) /Contents (Ask the \\(old\\) owner\\rfirst)";
    let bare = "/Subtype /Highlight /Rect [60 660 100 680] /Contents (not true)";
    let copied = "/Subtype /Highlight /Rect [60 660 100 680] /Contents (another  LINE)";
    let state = "/Subtype /Text /Rect [0 0 9 9] /Contents (Accepted set by Ann) /StateModel (Review) /State (Accepted)";
    let others = "/Subtype /Link /Rect [0 0 9 9] /Contents (to the start)";
    let popup = "/Subtype /Popup /Rect [0 0 9 9] /Contents (again)";
    let form = Form::new(content.clone(), &[free, note, bare, copied, state, others, popup]);
    let expected = "One line of the page / Another line / Typed on it\nin two lines / Note (Ann): Ask the (old) owner\nfirst / Note: not true";
    assert_eq!(form.text(), expected);
    let drawn = format!("{free} /AP << /N #0 >>");
    let form = Form::new(content, &[&drawn]).with_objects(&["BT /F1 10 Tf 2 6 Td (As it was drawn) Tj ET"]);
    assert_eq!(form.text(), "One line of the page / Another line / As it was drawn");
}

#[test]
fn values_that_many_fields_share_end() {
    // Each field of the page repeats a value of 100 kB.
    let value = format!("<< /FT /Tx /V ({}) >>", "word ".repeat(20_000));
    let shared = format!("{FIRST} /Parent #0");
    let widgets: Vec<&str> = std::iter::repeat_n(shared.as_str(), 3_000).collect();
    let form = Form::new(labels(&["Text:"]), &widgets).with_objects(&[&value]);
    let (text, error) = quick(60, || form.read()).remove(0);
    assert!(text.len() < 100 << 20, "{}", text.len());
    assert!(error.unwrap().contains("too many fields and notes"));
    // Fields that are their own parents.
    let form = Form::new(labels(&["Text:"]), &[&format!("{FIRST} /Parent #0")]);
    assert_eq!(form.with_objects(&["<< /FT /Tx /V (once) /Parent 9 0 R >>"]).text(), "Text: once");
}
