//! Chunk settings as SQL spells them, checked and handed to the core.

use kb_rag_core::chunk::{Settings, Strategy};

use crate::error::{Error, Result};

/// The largest chunk size, in characters.
pub const MAX_CHUNK_SIZE: i32 = 1_000_000;

/// Text in one chunk beyond this many bytes does not fit PostgreSQL's tsvector (MAXSTRPOS).
pub const MAX_CHUNK_BYTES: usize = (1 << 20) - 1;

/// 22023 unless the unit is one this version counts in.
pub fn check_unit(unit: &str) -> Result<()> {
    match unit {
        "char" => Ok(()),
        "token" => {
            Err(Error::invalid("chunk unit \"token\" is not available in this version").hint("Use 'char'."))
        }
        _ => Err(Error::invalid(format!("chunk unit \"{unit}\" is not known")).hint("Use 'char'.")),
    }
}

/// Checked settings of the chunker. `auto` looks at the MIME type and the file name.
pub fn settings(
    size: i32,
    overlap: i32,
    strategy: &str,
    mime_type: Option<&str>,
    file_name: Option<&str>,
) -> Result<Settings> {
    if !(1..=MAX_CHUNK_SIZE).contains(&size) {
        return Err(Error::invalid(format!("chunk size {size} is out of range"))
            .hint(format!("Use 1 to {MAX_CHUNK_SIZE} characters.")));
    }
    if overlap < 0 {
        return Err(Error::invalid(format!("chunk overlap {overlap} is negative")));
    }
    if overlap >= size {
        return Err(Error::invalid(format!(
            "chunk overlap {overlap} is not smaller than the chunk size {size}"
        ))
        .hint("Set both, for example chunk_size => 500, chunk_overlap => 100."));
    }
    let strategy = resolve_strategy(strategy, mime_type, file_name)?;
    Settings::new(size as usize, overlap as usize, strategy).map_err(|e| Error::invalid(e.to_string()))
}

fn resolve_strategy(name: &str, mime_type: Option<&str>, file_name: Option<&str>) -> Result<Strategy> {
    if name == "auto" {
        return Ok(if is_markdown(mime_type, file_name) { Strategy::Markdown } else { Strategy::Text });
    }
    Strategy::from_name(name).ok_or_else(|| {
        let reason = match name {
            "code" | "semantic" => "is not available in this version",
            _ => "is not known",
        };
        Error::invalid(format!("chunk strategy \"{name}\" {reason}"))
            .hint("Use one of: auto, text, markdown, none.")
    })
}

fn is_markdown(mime_type: Option<&str>, file_name: Option<&str>) -> bool {
    match mime_type {
        Some(mime) => mime.to_ascii_lowercase().starts_with("text/markdown"),
        None => file_name.is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name.ends_with(".md") || name.ends_with(".markdown")
        }),
    }
}
