//! What stands on a page besides its content: fields of forms, texts and notes.
//!
//! Most programs draw the value of a field into the file, and then it is text as any other. Where they leave that to the
//! viewer, the value is put where a viewer would draw it.

use std::cell::OnceCell;
use std::collections::HashSet;

use hayro_interpret::kurbo::{Affine, Point};
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Rect, String as PdfString};
use hayro_syntax::page::Page;

use super::field::{self, Field, Value};
use super::glyphs::{Collector, Glyph, Piece};
use super::layout::Paragraph;

/// The annotations of a page that are looked at.
const MAX_ANNOTATIONS: usize = 20_000;

/// What fields and notes of a file may take, in bytes: they may share what they are made of.
const MAX_BYTES: usize = 64 << 20;

/// Flags of annotations that are not seen: hidden, and not for the screen.
const UNSEEN: u32 = 1 << 1 | 1 << 5;

/// What is said where a file has too many.
pub const TOO_MANY: &str = "the file has too many fields and notes: those of this page were not read";

/// Annotations that a reader opens to read what they say.
const NOTES: [&[u8]; 13] = [
    b"Text",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Caret",
    b"Ink",
    b"Line",
    b"Square",
    b"Circle",
    b"Polygon",
    b"PolyLine",
    b"Stamp",
];

/// Reads the annotations of a file.
pub struct Annotations {
    /// Whether viewers draw all fields, whatever the file has of them.
    need_appearances: bool,
    left: usize,
}

/// The box of an annotation on the page; y grows downwards.
#[derive(Clone, Copy, Debug)]
struct Area {
    x0: f32,
    y0: f32,
    x1: f32,
    y1: f32,
}

impl Area {
    fn from_rect(rect: &Rect, page: Affine) -> Self {
        let (a, b) = (page * Point::new(rect.x0, rect.y0), page * Point::new(rect.x1, rect.y1));
        let (x0, x1) = (a.x.min(b.x) as f32, a.x.max(b.x) as f32);
        Self { x0, x1, y0: a.y.min(b.y) as f32, y1: a.y.max(b.y) as f32 }
    }

    fn has(self, glyph: &Glyph) -> bool {
        let middle = glyph.x + glyph.advance / 2.0;
        (self.x0..=self.x1).contains(&middle) && (self.y0..=self.y1 + 1.0).contains(&glyph.y)
    }

    fn height(self) -> f32 {
        self.y1 - self.y0
    }
}

impl Annotations {
    /// Those of a file with this catalog.
    pub fn new(catalog: Option<&Dict<'_>>) -> Self {
        let form = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"AcroForm"));
        let need_appearances = form.and_then(|form| form.get::<bool>(b"NeedAppearances")).unwrap_or(false);
        Self { need_appearances, left: MAX_BYTES }
    }

    /// Puts values of fields and texts into the characters of a page, and returns its notes. `drawn` of the characters are those of
    /// the page's content.
    ///
    /// # Errors
    /// If the file has too many.
    pub fn add(
        &mut self,
        page: &Page<'_>,
        transform: Affine,
        drawn: usize,
        collector: &mut Collector,
    ) -> Result<Vec<Paragraph>, &'static str> {
        let mut notes = Vec::new();
        let Some(all) = page.raw().get::<Array<'_>>(b"Annots") else { return Ok(notes) };
        let mut sheet = Sheet::new(collector, drawn);
        let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
        for annotation in all.iter::<Dict<'_>>().take(MAX_ANNOTATIONS) {
            let Some(subtype) =
                annotation.get::<Name<'_>>(b"Subtype").filter(|subtype| says_something(subtype))
            else {
                continue;
            };
            let is_unseen = annotation.get::<u32>(b"F").unwrap_or(0) & UNSEEN != 0;
            if is_unseen || annotation.obj_id().is_some_and(|id| !seen.insert(id)) {
                continue;
            }
            let Some(rect) = annotation.get::<Rect>(b"Rect") else { continue };
            let area = Area::from_rect(&rect, transform);
            self.left = self.left.checked_sub(annotation.data().len()).ok_or(TOO_MANY)?;
            match &*subtype {
                b"Widget" => {
                    let field = Field::of_widget(&annotation, self.need_appearances);
                    self.left = self.left.checked_sub(field.bytes()).ok_or(TOO_MANY)?;
                    if let Some(value) = field.value() {
                        sheet.field(area, value, field.font_size(), self.need_appearances);
                    }
                }
                b"FreeText" => {
                    let size = annotation.get::<PdfString<'_>>(b"DA").and_then(|da| field::font_size(&da));
                    if let Some(text) = contents(&annotation) {
                        sheet.text(area, &text, size, true, false);
                    }
                }
                _ => {
                    notes.extend(note(&annotation).filter(|note| !sheet.says(note)).map(Note::paragraph));
                }
            }
        }
        sheet.done();
        Ok(notes)
    }
}

/// Whether annotations of a type are fields, texts or notes.
fn says_something(subtype: &[u8]) -> bool {
    matches!(subtype, b"Widget" | b"FreeText") || NOTES.contains(&subtype)
}

/// Whether some annotation of a page is drawn.
pub fn are_drawn(page: &Page<'_>) -> bool {
    let all = page.raw().get::<Array<'_>>(b"Annots");
    all.is_some_and(|all| all.iter::<Dict<'_>>().any(|annotation| annotation.contains_key(b"AP")))
}

/// What an annotation says.
fn contents(annotation: &Dict<'_>) -> Option<String> {
    let text = |key: &[u8]| field::text(annotation.get::<Object<'_>>(key)?);
    let plain = text(b"Contents").filter(|text| !text.trim().is_empty());
    plain.or_else(|| text(b"RC").map(|rich| field::plain(&rich))).filter(|text| !text.trim().is_empty())
}

struct Note {
    author: Option<String>,
    text: String,
}

/// The note of an annotation; None for one that only says what became of another one.
fn note(annotation: &Dict<'_>) -> Option<Note> {
    if annotation.contains_key(b"StateModel") {
        return None;
    }
    let author = annotation.get::<PdfString<'_>>(b"T").map(|title| super::properties::text(title.as_bytes()));
    let author = author.map(|author| one_line(&author)).filter(|author| !author.is_empty());
    Some(Note { author, text: contents(annotation)? })
}

impl Note {
    fn paragraph(self) -> Paragraph {
        let whose = self.author.map_or_else(|| "Note".to_owned(), |author| format!("Note ({author})"));
        let mut lines: Vec<String> = lines(&self.text).collect();
        if let Some(first) = lines.first_mut() {
            *first = format!("{whose}: {first}");
        }
        lines
    }
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn lines(text: &str) -> impl Iterator<Item = String> {
    text.split(['\n', '\r', '\u{2028}', '\u{2029}']).map(one_line).filter(|line| !line.is_empty())
}

/// The letters and digits of a text.
fn letters(text: impl Iterator<Item = char>) -> String {
    text.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The characters of a page while values are put among them.
struct Sheet<'a> {
    collector: &'a mut Collector,
    /// The base lines of the page's content from the top, each with the right end and the size of its glyph, if they were asked
    /// for: most annotations are links.
    lines: OnceCell<Vec<(f32, f32, f32)>>,
    /// The characters that annotations drew.
    annotated: Vec<Glyph>,
    added: Vec<Glyph>,
    /// The letters of the page's content, if they were asked for.
    letters: Option<String>,
}

impl<'a> Sheet<'a> {
    fn new(collector: &'a mut Collector, drawn: usize) -> Self {
        let annotated = collector.glyphs.split_off(drawn.min(collector.glyphs.len()));
        Self { collector, lines: OnceCell::new(), annotated, added: Vec::new(), letters: None }
    }

    fn lines(&self) -> &[(f32, f32, f32)] {
        self.lines.get_or_init(|| {
            let glyphs = self.collector.glyphs.iter();
            let level = glyphs.filter(|glyph| glyph.angle.abs() < 1.0 && !glyph.vertical);
            let mut lines: Vec<_> =
                level.map(|glyph| (glyph.y, glyph.x + glyph.advance, glyph.size)).collect();
            lines.sort_by(|a, b| a.0.total_cmp(&b.0));
            lines
        })
    }

    fn done(self) {
        self.collector.glyphs.extend(self.annotated);
        self.collector.glyphs.extend(self.added);
    }

    /// Whether the page's content has what a note says, as highlights of some programs do.
    fn says(&mut self, note: &Note) -> bool {
        let glyphs = &self.collector.glyphs;
        let all =
            self.letters.get_or_insert_with(|| letters(glyphs.iter().flat_map(|glyph| glyph.piece.chars())));
        let own = letters(note.text.chars());
        !own.is_empty() && all.contains(&own)
    }

    fn field(&mut self, area: Area, value: Value, size: Option<f32>, redraw: bool) {
        match value {
            Value::Text { text, multi_line, replaces } => {
                let same = |drawn: &str| redraw && drawn != letters(text.chars());
                let drawn = self.drawn(area);
                let replaces = replaces || same(&drawn);
                self.text(area, &text, size, multi_line, replaces);
            }
            Value::Check(is_on, meaning) => {
                self.annotated.retain(|glyph| !area.has(glyph));
                let size = area.height().clamp(4.0, 12.0);
                let (y, near) = self.base_line(area, size);
                let beside = meaning.filter(|meaning| !self.stands_at(y, meaning));
                let mark = if is_on { "[x]" } else { "[ ]" };
                let text = beside.map_or_else(|| mark.to_owned(), |meaning| format!("{mark} {meaning}"));
                self.put(&one_line(&text), area.x0, y, near, area);
            }
        }
    }

    /// The letters that annotations drew into an area.
    fn drawn(&self, area: Area) -> String {
        letters(self.annotated.iter().filter(|glyph| area.has(glyph)).flat_map(|glyph| glyph.piece.chars()))
    }

    /// Whether the page's content says something on a base line.
    fn stands_at(&self, y: f32, text: &str) -> bool {
        let row = self.collector.glyphs.iter().filter(|glyph| (glyph.y - y).abs() < 0.3 * glyph.size);
        letters(row.flat_map(|glyph| glyph.piece.chars())).contains(&letters(text.chars()))
    }

    /// Puts a text into an area, unless something is drawn there already.
    fn text(&mut self, area: Area, text: &str, size: Option<f32>, multi_line: bool, replaces: bool) {
        if !self.drawn(area).is_empty() {
            if !replaces {
                return;
            }
            self.annotated.retain(|glyph| !area.has(glyph));
        }
        let size = size.unwrap_or_else(|| (0.7 * area.height()).clamp(4.0, 12.0));
        let is_high = multi_line && area.height() > 2.0 * size;
        let first = if is_high { Area { y1: area.y0 + 1.3 * size, ..area } } else { area };
        let (y, size) = self.base_line(first, size);
        let x = self.beside(area, y);
        for (at, line) in lines(text).enumerate() {
            self.put(&line, if at == 0 { x } else { area.x0 }, y + 1.2 * size * at as f32, size, area);
        }
    }

    fn put(&mut self, text: &str, x: f32, y: f32, size: f32, area: Area) {
        let width = 0.5 * size * text.chars().count() as f32;
        let advance = width.min((area.x1 - x).max(size));
        let piece = Piece::Text(text.into());
        self.added.push(Glyph { piece, x, y, advance, size, angle: 0.0, vertical: false });
    }

    /// The base line and the size of a text in an area: those of the page's content beside it, if there is one.
    fn base_line(&self, area: Area, size: f32) -> (f32, f32) {
        let expected = area.y1 - ((area.height() - size) / 2.0).max(0.0) - 0.2 * size;
        let from = self.lines().partition_point(|(y, ..)| *y < expected - 0.6 * size);
        let near = self.lines().iter().skip(from).take_while(|(y, ..)| *y <= expected + 0.6 * size);
        let nearest = near.min_by(|a, b| (a.0 - expected).abs().total_cmp(&(b.0 - expected).abs()));
        nearest.map_or((expected, size), |(y, _, size)| (*y, *size))
    }

    /// Where a text on a base line begins: behind what stands to the left of its area, so that a label and its value are
    /// no columns.
    fn beside(&self, area: Area, y: f32) -> f32 {
        let from = self.lines().partition_point(|(other, ..)| *other < y - 0.1);
        let level = self.lines().iter().skip(from).take_while(|(other, ..)| *other <= y + 0.1);
        let is_left = |end: &f32| *end <= area.x0 + 1.0;
        let left = level.map(|(_, end, size)| end + 0.3 * size).filter(is_left);
        let others = self.added.iter().filter(|glyph| (glyph.y - y).abs() < 0.1 && glyph.x < area.x0);
        let taken = others.map(|glyph| glyph.x + glyph.advance).fold(f32::MIN, f32::max);
        left.fold(f32::MIN, f32::max).max(taken).clamp(area.x0 - 300.0, area.x0)
    }
}
