//! What is wrong with a page: the crate that reads it never says so.

use std::borrow::Cow;

use flate2::{Decompress, FlushDecompress, Status};
use hayro_syntax::Filter;
use hayro_syntax::object::{Object, Stream};
use hayro_syntax::page::Page;

use super::glyphs::{Collector, Glyph};

/// The most that the content of a page may have, in bytes: 100 times what a large drawing has.
pub const MAX_CONTENT: u64 = 256 << 20;

const DAMAGED: &str = "the content of the page is damaged; some of it may be missing";
const ONLY_IMAGES: &str = "the page has no text, only images";

/// Whether a file contains some bytes.
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// How the error of a page begins whose fonts name no letters.
const PRIVATE: &str = "the fonts of the page map ";

/// Whether this is the error of a page whose fonts name no letters.
pub fn is_private(error: &Option<String>) -> bool {
    error.as_deref().is_some_and(|error| error.starts_with(PRIVATE))
}

/// The characters of a page that are for private use, and all of them, without spaces.
pub fn private_use(glyphs: &[Glyph]) -> (usize, usize) {
    let is_private = |c: char| matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}');
    let seen = || glyphs.iter().map(|glyph| &glyph.piece).filter(|piece| !piece.is_space());
    (seen().filter(|piece| piece.chars().all(is_private)).count(), seen().count())
}

/// Whether this is the error of a page without text.
pub fn only_images(error: &Option<String>) -> bool {
    error.as_deref() == Some(ONLY_IMAGES)
}

/// The content of a page, as it is found before it is unpacked.
#[derive(Default)]
pub struct Content {
    /// Its size, unpacked.
    pub bytes: u64,
    /// What is damaged in it, if anything.
    pub damage: Option<String>,
}

/// Looks at the content of a page before it is unpacked.
///
/// # Errors
/// If the page cannot be read at all.
pub fn content(page: &Page<'_>) -> Result<Content, String> {
    let Some(content) = page.raw().get::<Object<'_>>(b"Contents") else {
        let missing =
            page.raw().contains_key(b"Contents").then(|| "the content of the page is missing".to_owned());
        return missing.map_or(Ok(Content::default()), Err);
    };
    let (parts, streams): (usize, Vec<Stream<'_>>) = match content {
        Object::Stream(stream) => (1, vec![stream]),
        Object::Array(array) => (array.raw_iter().count(), array.iter().collect()),
        Object::Null(_) => return Ok(Content::default()),
        _ => return Err("the content of the page is missing".into()),
    };
    let mut total = 0;
    let mut damage = (streams.len() < parts).then_some("a part of the page's content is missing");
    let mut whole = 0;
    for stream in &streams {
        match unpacked(stream, MAX_CONTENT.saturating_sub(total)) {
            Unpacked::Whole(bytes) => {
                whole += 1;
                total += bytes;
            }
            Unpacked::Cut(0) | Unpacked::Unreadable => {
                damage = Some("the content of the page cannot be unpacked")
            }
            Unpacked::Cut(bytes) => {
                total += bytes;
                whole += 1;
                damage = Some(DAMAGED);
            }
            Unpacked::TooLarge => {
                return Err(format!("the content of the page exceeds {} MB", MAX_CONTENT >> 20));
            }
        }
    }
    match damage {
        Some(damage) if parts > 0 && whole == 0 => Err(damage.into()),
        damage => Ok(Content { bytes: total, damage: damage.map(str::to_owned) }),
    }
}

/// What unpacking a stream showed.
pub enum Unpacked {
    /// All of it can be unpacked: to so many bytes.
    Whole(u64),
    /// It breaks off after so many bytes.
    Cut(u64),
    /// Nothing of it can be unpacked.
    Unreadable,
    /// It unpacks to more than the limit.
    TooLarge,
}

/// Unpacks a stream without keeping it.
pub fn unpacked(stream: &Stream<'_>, limit: u64) -> Unpacked {
    let mut raw = stream.raw_data();
    let filters = stream.filters();
    let inflatable = filters.iter().all(|filter| *filter == Filter::FlateDecode);
    if !inflatable {
        return match stream.decoded_data() {
            Ok(data) if data.len() as u64 > limit => Unpacked::TooLarge,
            Ok(data) => Unpacked::Whole(data.len() as u64),
            Err(_) => Unpacked::Unreadable,
        };
    }
    // Data packed several times grows a thousandfold each time.
    for _ in 1..filters.len() {
        let mut more = Vec::new();
        match inflated(&raw, limit, |bytes| more.extend_from_slice(bytes)) {
            Unpacked::Whole(_) => raw = Cow::Owned(more),
            other => return other,
        }
    }
    if filters.is_empty() { Unpacked::Whole(raw.len() as u64) } else { inflated(&raw, limit, |_| {}) }
}

/// The size of what zlib data unpacks to. Its checksum is not looked at: files without one are common, and nothing of
/// their content is missing.
fn inflated(raw: &[u8], limit: u64, mut keep: impl FnMut(&[u8])) -> Unpacked {
    let header = matches!(raw, [cmf, flags, ..]
        if cmf & 15 == 8 && (u16::from(*cmf) << 8 | u16::from(*flags)).is_multiple_of(31));
    let data = if header { raw.get(2..).unwrap_or_default() } else { raw };
    if data.is_empty() {
        return if raw.is_empty() { Unpacked::Whole(0) } else { Unpacked::Unreadable };
    }
    let mut inflate = Decompress::new(false);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let (read, written) = (inflate.total_in(), inflate.total_out());
        let rest = data.get(read as usize..).unwrap_or_default();
        let status = inflate.decompress(rest, &mut buffer, FlushDecompress::None);
        let new = (inflate.total_out() - written) as usize;
        keep(buffer.get(..new).unwrap_or_default());
        match status {
            Ok(Status::StreamEnd) => return Unpacked::Whole(inflate.total_out()),
            Ok(_) if inflate.total_out() > limit => return Unpacked::TooLarge,
            Ok(_) if inflate.total_in() > read || new > 0 => {}
            Ok(_) | Err(_) => return Unpacked::Cut(inflate.total_out()),
        }
    }
}

/// What is known of a page after it was drawn.
pub struct Verdict {
    /// What is damaged in its content.
    pub damage: Option<String>,
    /// Whether reading it panicked.
    pub panicked: bool,
    /// Whether it was drawn without its forms.
    pub bare: bool,
    /// Whether a font could not be read.
    pub bad_font: bool,
    /// Whether it has text.
    pub has_text: bool,
    /// Its characters for private use, and all of them.
    pub private_use: (usize, usize),
}

impl Verdict {
    /// What is wrong with the page. A blank page and one with drawings only are right.
    pub fn error(self, page: &Page<'_>, drawn: &Collector) -> Option<String> {
        if self.panicked {
            return Some("the page is damaged".into());
        }
        if self.bare {
            return Some("the page is too large: only the text outside its forms was read".into());
        }
        if drawn.cut {
            return Some("the page is too large: only its beginning was read".into());
        }
        if let Some(damage) = self.damage {
            let nothing = !self.has_text && damage == DAMAGED;
            return Some(if nothing { "the content of the page is damaged".into() } else { damage });
        }
        if drawn.unknown > 0 && drawn.unknown * 2 > drawn.drawn {
            let (unknown, all) = (drawn.unknown, drawn.drawn);
            return Some(format!(
                "the fonts of the page do not say which characters {unknown} of its {all} glyphs are"
            ));
        }
        let (private, all) = self.private_use;
        // A few of them are bullets and other signs.
        if private * 3 > all {
            return Some(format!(
                "{PRIVATE}{private} of its {all} glyphs to characters for private use, which are no letters"
            ));
        }
        if self.has_text {
            return None;
        }
        if self.bad_font {
            return Some("a font of the page cannot be read".into());
        }
        if drawn.images > 0 {
            return Some(ONLY_IMAGES.into());
        }
        let nothing = drawn.drawn == 0 && drawn.paths == 0;
        (nothing && !has_operators(page)).then(|| "the content of the page makes no sense".into())
    }
}

/// Whether the content of a page is empty or has an operator of PDF at all.
fn has_operators(page: &Page<'_>) -> bool {
    const OPERATORS: &str = " b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M \
        MP n q Q re RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \" ";
    let empty = page.page_stream().is_none_or(|content| content.iter().all(u8::is_ascii_whitespace));
    let mut operations = page.operations();
    let mut known = || {
        while let Some(operation) = operations.next() {
            let name: &[u8] = operation.operator;
            if std::str::from_utf8(name).is_ok_and(|name| OPERATORS.contains(&format!(" {name} "))) {
                return true;
            }
        }
        false
    };
    empty || known()
}
