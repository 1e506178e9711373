//! The text of PDF files.
//!
//! The crate hayro-interpret reads the file and says which glyph stands where ([`glyphs`]). Lines, columns, paragraphs and
//! words are made here: [`line`], [`columns`], [`table`], [`layout`], [`bidi`], [`text`]; fields of forms and notes come from [`annotations`]. What is wrong with a page is found in [`check`],
//! since the crate draws as much of a broken page as it can and says nothing. What drawing a page costs is counted before, in
//! [`steps`].

mod annotations;
mod bidi;
mod cells;
mod check;
mod columns;
mod field;
mod glyphs;
mod keyed;
mod layout;
mod line;
pub(crate) mod properties;
mod repeated;
mod rules;
mod steps;
mod table;
mod text;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{
    Context, InterpreterCache, InterpreterSettings, InterpreterWarning, RenderContent, interpret,
    interpret_page,
};
use hayro_syntax::object::Dict;
use hayro_syntax::page::{Page as PdfPage, Resources};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use kb_rag_core::extract_protocol::{Failure, Page};

use crate::pdf::annotations::Annotations;
use crate::pdf::glyphs::Collector;
use crate::pdf::layout::{Layout, Paragraph};
use crate::pdf::repeated::Edges;
use crate::pdf::steps::{BYTES_PER_STEP, Cost, MAX_STEPS};
use crate::{File, Text};

/// A file with more pages is refused: more than any book has, and each of them costs memory.
const MAX_PAGES: usize = 100_000;

/// The pages of a file are read until they have taken so many drawing steps: 20 times what a page may take.
const MAX_FILE_STEPS: u64 = 20 * MAX_STEPS;

/// The text of a PDF file, page by page.
///
/// # Errors
/// [`Failure::PasswordNeeded`] and [`Failure::PasswordWrong`] if neither the password given nor the empty one opens it,
/// [`Failure::Damaged`] if no page is found or the fonts of all name no letters, [`Failure::NoText`] if no page has text and one has an image, and
/// [`Failure::Limit`] and [`Failure::Unsupported`]. A page that cannot be read has its own [`Page::error`].
pub fn extract(file: &File) -> Result<Text, Failure> {
    let pdf = open(file)?;
    let pages = pdf.pages();
    if pages.is_empty() {
        return Err(Failure::Damaged("it has no pages".into()));
    }
    if pages.len() > MAX_PAGES {
        return Err(Failure::Limit(format!(
            "it has {} pages, and {MAX_PAGES} are the most that are read",
            pages.len()
        )));
    }
    let mut reader = Reader::new(&pdf);
    let mut read: Vec<Read> = pages.iter().map(|page| reader.page(page)).collect();
    let has_text = read.iter().any(|page| !page.paragraphs.is_empty());
    if !has_text && read.iter().any(|page| page.only_images) {
        return Err(Failure::NoText { pages: read.len() });
    }
    if !has_text && read.iter().any(|page| check::is_private(&page.error)) {
        return Err(Failure::Damaged(
            "the fonts of its pages name no letters; have its text recognized".into(),
        ));
    }
    let mut edges: Vec<_> = read.iter_mut().map(|page| (&mut page.paragraphs, &page.edges)).collect();
    repeated::take_out(&mut edges);
    let words = text::Words::from_pages(read.iter().map(|page| page.paragraphs.as_slice()));
    let pages = read
        .into_iter()
        .map(|page| Page { content: text::page(&page.paragraphs, &words), error: page.error });
    let properties = catch_unwind(AssertUnwindSafe(|| properties::read(&pdf)));
    let properties =
        properties.unwrap_or(kb_rag_core::extract_protocol::Properties { paged: true, ..Default::default() });
    Ok(Text { properties, pages: pages.collect() })
}

/// Opens a file with the password given, or with the empty one.
fn open(file: &File) -> Result<Pdf, Failure> {
    let data: Arc<Vec<u8>> = Arc::new(file.bytes.to_vec());
    let given = file.password.filter(|password| !password.is_empty());
    let mut error = LoadPdfError::Invalid;
    for password in given.into_iter().chain([""]) {
        let data = Arc::clone(&data);
        match catch_unwind(AssertUnwindSafe(|| Pdf::new_with_password(data, password))) {
            Ok(Ok(pdf)) => return Ok(pdf),
            Ok(Err(other)) => error = other,
            Err(_) => return Err(Failure::Damaged("its structure makes no sense".into())),
        }
    }
    Err(match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) if given.is_some() => {
            Failure::PasswordWrong
        }
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Failure::PasswordNeeded,
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => {
            Failure::Unsupported("a PDF file with an unknown encryption".into())
        }
        LoadPdfError::Decryption(_) => Failure::Damaged("its encryption makes no sense".into()),
        // The crate says this also of a damaged file that another password might open.
        LoadPdfError::Invalid if check::contains(file.bytes, b"/Encrypt") => {
            Failure::Damaged("it is encrypted, and its pages are not found".into())
        }
        LoadPdfError::Invalid => Failure::Damaged("its pages are not found".into()),
    })
}

/// A page that was read.
#[derive(Default)]
struct Read {
    paragraphs: Vec<Paragraph>,
    edges: Edges,
    error: Option<String>,
    only_images: bool,
}

/// Reads the pages of a file.
struct Reader<'a> {
    pdf: &'a Pdf,
    cache: InterpreterCache<'a>,
    settings: InterpreterSettings,
    /// Whether a font could not be read since this was last asked.
    bad_font: Arc<AtomicBool>,
    annotations: Annotations,
    /// The drawing steps that are left for the file.
    left: u64,
}

impl<'a> Reader<'a> {
    fn new(pdf: &'a Pdf) -> Self {
        let bad_font = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&bad_font);
        let settings = InterpreterSettings {
            warning_sink: Arc::new(move |warning| {
                if matches!(warning, InterpreterWarning::UnsupportedFont) {
                    seen.store(true, Ordering::Relaxed);
                }
            }),
            ..InterpreterSettings::default()
        };
        let catalog = catch_unwind(AssertUnwindSafe(|| pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())));
        let annotations = Annotations::new(catalog.ok().flatten().as_ref());
        Self { pdf, cache: InterpreterCache::new(), settings, bad_font, annotations, left: MAX_FILE_STEPS }
    }

    fn page(&mut self, page: &PdfPage<'a>) -> Read {
        let nothing = |error: &str| Read { error: Some(error.into()), ..Read::default() };
        if self.left == 0 {
            return nothing("the file is too large: this page was not read");
        }
        let counted = catch_unwind(AssertUnwindSafe(|| {
            check::content(page).map(|content| {
                let cost = steps::of_page(page, content.bytes);
                (content, cost)
            })
        }));
        match counted {
            Ok(Ok((content, cost))) => self.draw(page, content, &cost),
            Ok(Err(error)) => nothing(&error),
            Err(_) => nothing("the page is damaged"),
        }
    }

    /// Where a page, or only what stands on it, is drawn.
    fn context(&self, page: &PdfPage<'a>, render_content: RenderContent) -> Context<'a> {
        let (width, height) = page.render_dimensions();
        let bbox = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let settings = InterpreterSettings { render_content, ..self.settings.clone() };
        Context::new(transform(page), bbox, &self.cache, self.pdf.xref(), settings)
    }

    fn draw(&mut self, page: &PdfPage<'a>, content: check::Content, cost: &Cost) -> Read {
        let (width, height) = page.render_dimensions();
        let form_steps = if let Cost::TooMuch { form } = cost { *form } else { 0 };
        let mut collector = Collector::new((width, height), self.left.min(MAX_STEPS), form_steps);
        self.bad_font.store(false, Ordering::Relaxed);
        let mut notes = Ok(Vec::new());
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            if *cost == Cost::Endless {
                let resources = text_only(page.resources());
                let mut context = self.context(page, RenderContent::all());
                interpret(page.typed_operations(), &resources, &mut context, &mut collector);
                return;
            }
            interpret_page(page, &mut self.context(page, RenderContent::PAGE), &mut collector);
            if page.raw().contains_key(b"Annots") {
                let content = collector.glyphs.len();
                if annotations::are_drawn(page) {
                    let mut context = self.context(page, RenderContent::ANNOTATIONS);
                    interpret_page(page, &mut context, &mut collector);
                }
                notes = self.annotations.add(page, transform(page), content, &mut collector);
            }
        }));
        let linear = content.bytes / BYTES_PER_STEP;
        let used = match cost {
            Cost::Steps(steps) => collector.steps.max(*steps),
            Cost::TooMuch { form } => collector.steps.saturating_add(*form).saturating_add(linear),
            Cost::Endless => collector.steps.saturating_add(linear),
        };
        self.left = self.left.saturating_sub(used);
        let panicked = drawn.is_err() && !collector.cut;
        if panicked {
            // Whatever panicked may have left it in any state.
            self.cache = InterpreterCache::new();
        }
        let laid_out = catch_unwind(AssertUnwindSafe(|| {
            collector.rules.join();
            layout::layout(&collector.glyphs, &collector.rules, height)
        }));
        let panicked = panicked || laid_out.is_err();
        let Layout { mut paragraphs, edges } = laid_out.unwrap_or_default();
        let bad_font = self.bad_font.load(Ordering::Relaxed);
        let verdict = check::Verdict {
            damage: content.damage,
            panicked,
            bare: *cost == Cost::Endless,
            bad_font,
            has_text: !paragraphs.is_empty(),
            private_use: check::private_use(&collector.glyphs),
        };
        let mut error = verdict.error(page, &collector);
        match notes {
            Ok(notes) => paragraphs.extend(notes),
            Err(too_many) => error = error.or(Some(too_many.to_owned())),
        }
        if check::is_private(&error) {
            // Nobody could search for it.
            paragraphs.clear();
        }
        let only_images = check::only_images(&error);
        Read { paragraphs, edges, error, only_images }
    }
}

/// Where the page's own lengths are on the page as it is seen.
fn transform(page: &PdfPage<'_>) -> Affine {
    Affine::new(page.initial_transform(true).as_coeffs())
}

/// The resources that text needs. Forms are missing.
fn text_only<'a>(resources: &Resources<'a>) -> Resources<'a> {
    Resources {
        fonts: resources.fonts.clone(),
        properties: resources.properties.clone(),
        ..Resources::new(Dict::empty())
    }
}
