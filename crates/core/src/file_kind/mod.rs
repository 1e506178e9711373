//! Kinds of files: the one table of what a file may be, by its name, its MIME type and its first bytes, and what follows.
//!
//! The program kb-rag-extract, `kb-rag index`, chunking and the reader of archives ask here, so that they agree. A new
//! kind is one row in [`table`].
//!
//! A name alone decides nothing where bytes tell otherwise: see [`recognize`].

mod container;
mod encoding;
mod kind;
mod minified;
mod pasted;
mod path;
mod recognize;
pub mod table;

pub use encoding::{Wide, decode_wide, is_text, wide};
pub use kind::{Handling, Kind, Mark, READABLE, Reader};
pub use pasted::looks_like;
pub use path::is_path;
pub use recognize::{SAMPLE, recognize, recognize_beginning};

/// The kind of files with this name, which may have a path: by the whole name, else by its ending. None if it says nothing.
pub fn by_name(path: &str) -> Option<&'static Kind> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let named = table::kinds().find(|kind| kind.names().any(|known| known == name));
    // The longer ending first: .min.js is more than .js. None has more than two parts.
    let dots: Vec<usize> = name.rmatch_indices('.').take(2).map(|(at, _)| at).filter(|at| *at > 0).collect();
    let mut endings = dots.iter().rev().filter_map(|at| name.get(at + 1..));
    named.or_else(|| {
        endings.find_map(|ending| table::kinds().find(|kind| kind.endings().any(|known| known == ending)))
    })
}

/// A MIME type without its parameters, in lower case.
pub fn essence(mime_type: &str) -> String {
    mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a text is a MIME type, not the name of a file in a directory.
pub fn is_mime_type(text: &str) -> bool {
    const FAMILIES: [&str; 9] =
        ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];
    let essence = essence(text);
    let Some((family, rest)) = essence.split_once('/') else { return false };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c);
    if essence.len() > 255 || !FAMILIES.contains(&family) || rest.is_empty() || !rest.chars().all(is_plain) {
        return false;
    }
    // A directory may have such a name.
    table::kinds().any(|kind| kind.types().any(|known| known == essence)) || by_name(rest).is_none()
}

/// The kind of files with this MIME type. None if it says nothing, as `application/octet-stream`.
pub fn by_mime_type(mime_type: &str) -> Option<&'static Kind> {
    let essence = essence(mime_type);
    table::kinds().find(|kind| kind.types().any(|known| known == essence)).or_else(|| by_family(&essence))
}

/// What the first or last part of a MIME type says.
fn by_family(essence: &str) -> Option<&'static Kind> {
    let (family, rest) = essence.split_once('/')?;
    match family {
        "text" if rest.starts_with("x-") => Some(&table::SOURCE_CODE),
        "text" => Some(&table::OTHER_TEXT),
        "image" => Some(&table::IMAGE),
        "audio" => Some(&table::AUDIO),
        "video" => Some(&table::VIDEO),
        "font" => Some(&table::FONT),
        _ if rest.ends_with("+json") => Some(&table::JSON),
        "application" if rest.ends_with("+xml") => Some(&table::XML),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
