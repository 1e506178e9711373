//! Sources that are not URLs, in place of one.

use pgrx::Uuid;

use super::list::{Listed, list};
use crate::error::Error;
use crate::postgres::spi::quote_literal;

/// 42704 for an identifier that no URL has. If it is that of an attached table or a directory which the caller may see, the hint says how
/// to remove that.
pub fn unknown(id: Uuid) -> Error {
    let sources = list(None, None).unwrap_or_default();
    match sources.into_iter().find(|source| source.source_id == id && source.kind != "url") {
        Some(source) => Error::not_found(format!("source {id} is not a URL")).hint(removal(&source)),
        None => Error::not_found(format!("source {id} does not exist"))
            .hint("SELECT source_id, location FROM kb_source_list() lists the sources."),
    }
}

fn removal(source: &Listed) -> String {
    let base = quote_literal(&source.knowledge_base);
    if source.kind == "table" && source.status != "detached" {
        let table = quote_literal(&source.location);
        return format!(
            "It is an attached table: SELECT kb_detach({table}, {base}, delete_documents => true) removes it with its documents."
        );
    }
    format!(
        "It is a {}. Delete its row in the table source of knowledge base {base}, and its documents with it.",
        source.kind
    )
}
