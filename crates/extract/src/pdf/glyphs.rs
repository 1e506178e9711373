//! The characters of a page and where they stand: what hayro draws, without drawing it.

use hayro_interpret::font::{Glyph as Drawn, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};
use hayro_syntax::object::{Dict, String as PdfString};

use super::rules::Rules;

/// A page with more characters is cut there: ten books.
const MAX_GLYPHS: usize = 2_000_000;

/// What a clip counts for. Each form begins with one.
pub const CLIP_STEPS: u64 = 50;

/// What a glyph says.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// One character, as nearly always.
    Char(char),
    /// Several: a ligature, or the replacement text of a span.
    Text(Box<str>),
}

impl Piece {
    /// Its characters.
    pub fn chars(&self) -> impl Iterator<Item = char> + '_ {
        let (one, more) = match self {
            Self::Char(c) => (Some(*c), ""),
            Self::Text(text) => (None, &**text),
        };
        one.into_iter().chain(more.chars())
    }

    /// Whether it is white space only.
    pub fn is_space(&self) -> bool {
        self.chars().all(|c| c.is_whitespace() || c.is_control())
    }
}

/// A character on the page. Lengths are points; x grows to the right and y downwards.
#[derive(Clone, Debug)]
pub struct Glyph {
    /// What it says.
    pub piece: Piece,
    /// Where its base line begins.
    pub x: f32,
    /// Where its base line begins.
    pub y: f32,
    /// How far the next one is, along the base line.
    pub advance: f32,
    /// The height of the font.
    pub size: f32,
    /// The direction of the base line, in degrees, clockwise.
    pub angle: f32,
    /// Whether the text runs downwards, in columns from right to left.
    pub vertical: bool,
}

/// The panic payload that stops the drawing of a page. It is no panic: no message is printed.
pub struct Stop;

/// Collects the characters of a page.
#[derive(Default)]
pub struct Collector {
    /// The characters, in the order of the page's content.
    pub glyphs: Vec<Glyph>,
    /// The number of images.
    pub images: usize,
    /// The number of lines and areas.
    pub paths: usize,
    /// The straight lines.
    pub rules: Rules,
    /// The number of characters that the page draws, within the page and visible or not.
    pub drawn: usize,
    /// The number of characters of which the font does not say what they are.
    pub unknown: usize,
    /// Whether a limit cut the page.
    pub cut: bool,
    /// The drawing steps so far.
    pub steps: u64,
    width: f32,
    height: f32,
    max_steps: u64,
    /// The steps that each form may take without a call of the device, and those of the form that began last.
    form_steps: u64,
    owed: u64,
    /// Of each open span: its replacement text and where it begins.
    spans: Vec<Option<(String, usize)>>,
    filled: Option<(usize, Point)>,
}

impl Collector {
    /// For a page of this size, which is cut after `max_steps`. Each form counts for `form_steps` more when the next one begins.
    pub fn new((width, height): (f32, f32), max_steps: u64, form_steps: u64) -> Self {
        Self { width, height, max_steps, form_steps, ..Self::default() }
    }

    fn step(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.max_steps || self.glyphs.len() > MAX_GLYPHS {
            self.cut = true;
            std::panic::resume_unwind(Box::new(Stop));
        }
    }

    fn collect(&mut self, glyph: &PositionedGlyph<'_>, at: Affine, em: &Em, vertical: bool) {
        let origin = at * Point::ORIGIN;
        let (x, y) = (origin.x as f32, origin.y as f32);
        let margin = em.height * 0.5;
        let inside =
            (-margin..=self.width + margin).contains(&x) && (-margin..=self.height + margin).contains(&y);
        if !inside || !em.height.is_finite() || em.height <= 0.0 {
            return;
        }
        self.drawn += 1;
        let piece = match glyph.as_unicode() {
            Some(BfString::Char(c)) => Piece::Char(c),
            Some(BfString::String(text)) => Piece::Text(text.into()),
            None => {
                self.unknown += 1;
                return;
            }
        };
        if piece.chars().all(|c| c == '\u{FFFD}' || c == '\0') {
            self.unknown += 1;
            return;
        }
        let advance = if vertical { em.height } else { advance_width(glyph) / 1000.0 * em.width(at) };
        let advance = if advance.is_finite() { advance.clamp(0.0, 10.0 * em.height) } else { 0.0 };
        let angle = if vertical { 0.0 } else { em.angle };
        self.glyphs.push(Glyph { piece, x, y, advance, size: em.height, angle, vertical });
    }
}

/// The length of 1,000 units of a font on the page.
struct Em {
    height: f32,
    angle: f32,
    /// Whether each glyph is stretched on its own, because the font is another one than the file wants. Then widths are
    /// scaled by the height.
    stretched: bool,
}

impl Em {
    fn from_run(run: &[PositionedGlyph<'_>], page: Affine) -> Option<Self> {
        let axis = |at: Affine, unit: Vec2| {
            let moved = at * unit.to_point() - at * Point::ORIGIN;
            (moved.hypot() as f32, moved)
        };
        let at = page * run.first()?.transform();
        let (width, right) = axis(at, Vec2::new(1000.0, 0.0));
        let (height, _) = axis(at, Vec2::new(0.0, 1000.0));
        let stretched = run.iter().skip(1).any(|glyph| {
            let (other, _) = axis(page * glyph.transform(), Vec2::new(1000.0, 0.0));
            (other - width).abs() > 0.01 * width
        });
        let mut height = height;
        // Fonts made of drawings have no em of their own: dvips says that one is a point high and draws over 40.
        let drawings = run.iter().filter(|glyph| matches!(***glyph, Drawn::Type3(_))).count();
        if drawings > 0 && !stretched {
            let mean =
                run.iter().map(|glyph| advance_width(glyph)).sum::<f32>() / run.len() as f32 / 1000.0 * width;
            height = if mean > height { 2.0 * mean } else { height };
        }
        Some(Self { height, angle: right.y.atan2(right.x).to_degrees() as f32, stretched })
    }

    fn width(&self, at: Affine) -> f32 {
        if self.stretched {
            self.height
        } else {
            (at * Point::new(1000.0, 0.0) - at * Point::ORIGIN).hypot() as f32
        }
    }
}

fn advance_width(glyph: &PositionedGlyph<'_>) -> f32 {
    match &**glyph {
        Drawn::Outline(glyph) => glyph.advance_width(),
        Drawn::Type3(glyph) => glyph.advance_width(),
    }
    .unwrap_or(500.0)
}

impl<'a> Device<'a> for Collector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.step(run.glyphs().len() as u64);
        let page = props.transform;
        let Some(first) = run.glyphs().first() else { return };
        let Some(em) = Em::from_run(run.glyphs(), page) else { return };
        let this = (run.glyphs().len(), page * first.transform() * Point::ORIGIN);
        // Text that is filled and stroked comes twice.
        if matches!(mode, DrawMode::Stroke(_)) && self.filled.take() == Some(this) {
            return;
        }
        self.filled = matches!(mode, DrawMode::Fill(_)).then_some(this);
        let vertical = run.writing_mode() == WritingMode::Vertical;
        for glyph in run.glyphs() {
            self.collect(glyph, page * glyph.transform(), &em, vertical);
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.images += 1;
        self.step(1);
    }

    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, _: &DrawMode) {
        self.paths += 1;
        self.rules.add(path, props.transform);
        self.step(1);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        let owed = std::mem::replace(&mut self.owed, self.form_steps);
        self.step(CLIP_STEPS.saturating_add(owed));
    }

    /// Never that of a form.
    fn push_clip_rect(&mut self, _: &Rect) {
        self.step(CLIP_STEPS);
    }

    fn pop_clip(&mut self) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.step(1);
        let actual = properties.and_then(|dict| dict.get::<PdfString<'_>>(b"ActualText"));
        self.spans.push(actual.map(|text| (super::properties::text(text.as_bytes()), self.glyphs.len())));
    }

    fn end_marked_content(&mut self) {
        if let Some(Some((text, start))) = self.spans.pop()
            && let Some(span) = self.glyphs.get(start..)
            && let [first, .., last] | [first @ last] = span
            && span.iter().all(|glyph| (glyph.y - first.y).abs() < first.size && glyph.x >= first.x)
        {
            let mut glyph = first.clone();
            glyph.advance = (last.x + last.advance - first.x).max(0.0);
            glyph.piece = Piece::Text(text.into());
            self.glyphs.truncate(start);
            if !matches!(&glyph.piece, Piece::Text(text) if text.is_empty()) {
                self.glyphs.push(glyph);
            }
        }
    }
}
