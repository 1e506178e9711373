//! Comparing the chunks of documents with their text, for kb_reconcile and kb_estimate.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use kb_rag_core::chunk::{Before, Pages, located};
use kb_rag_core::version::CHUNKER;
use pgrx::Uuid;

use super::sync::{
    Document, OldChunk, connect_without_seqscan, for_each_chunk, hash_of, read_chunks, read_documents,
};
use super::write::ChunkHash;
use crate::base::{Embed, KnowledgeBase};
use crate::error::Result;
use crate::model;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::spi::Access;

/// What is to be done for documents.
#[derive(Default)]
pub struct OutOfSync {
    /// Their chunks are not what their text gives, or lack a vector while the document is not queued.
    pub damaged: Vec<Uuid>,
    /// An earlier version of the chunker cut them, and today's cuts the same.
    pub to_note: Vec<Uuid>,
}

/// The documents that are out of sync, without those that are `queued` for vectors alone. Chunks of another version of the
/// chunker are right as long as they are whole; with `outdated`, those of an earlier one must be what today's cuts. Reads one snapshot, so that a
/// writer that commits meanwhile is not mistaken for a fault.
pub fn out_of_sync(
    base: &KnowledgeBase,
    model: &model::Model,
    schema: &str,
    ids: &[Uuid],
    queued: &HashSet<Uuid>,
    outdated: bool,
) -> Result<OutOfSync> {
    connect_without_seqscan(|c| {
        let documents = read_documents(c, base, schema, ids, Access::Read)?;
        let mut existing = read_chunks(c, base, schema, ids, Access::Read)?;
        let mut found = OutOfSync::default();
        let keeps_versions = base.versions()?.are_kept();
        for document in documents {
            check_for_interrupts();
            let mut old = existing.remove(&document.id).unwrap_or_default();
            if base.settings.embed == Embed::Off || queued.contains(&document.id) {
                old.iter_mut().for_each(|chunk| chunk.has_vector = true);
            }
            if document.imported {
                if old.is_empty() || old.iter().any(|chunk| !chunk.has_vector) {
                    found.damaged.push(document.id);
                }
                continue;
            }
            let is_to_be_cut = outdated && document.chunker_version.is_none_or(|version| version < CHUNKER);
            let in_sync = if is_to_be_cut || document.chunker_version == Some(CHUNKER) {
                is_as_cut(base, model, &document, &old)?
            } else {
                is_whole(&document, &old)
            };
            if !in_sync {
                found.damaged.push(document.id);
            } else if is_to_be_cut && keeps_versions {
                found.to_note.push(document.id);
            }
        }
        Ok(found)
    })
}

/// Whether the chunks are those that the text gives, with their vectors.
pub(super) fn is_as_cut<'a>(
    base: &KnowledgeBase,
    model: &model::Model,
    document: &Document,
    old: impl IntoIterator<Item = &'a OldChunk>,
) -> Result<bool> {
    let mut rest = old.into_iter();
    let mut is_same = true;
    for_each_chunk(base, model, document, |new| {
        is_same = is_same && rest.next().is_some_and(|old| old.is(new));
        Ok(())
    })?;
    Ok(is_same && rest.next().is_none())
}

/// Whether the chunks, cut by another version, have all of the text, with their vectors.
fn is_whole(document: &Document, old: &[OldChunk]) -> bool {
    let text = document.content.as_str();
    let chars = |chunk: &OldChunk| {
        let [_, start, end, _] = chunk.position.map(|place| usize::try_from(place).unwrap_or(usize::MAX));
        start..end
    };
    let places: Vec<Range<usize>> = old.iter().map(chars).collect();
    let Some(places) = located(text, &places) else { return false };
    let mut pages = Pages::from_text(text);
    (0..).zip(old).zip(places).all(|((ordinal, chunk), bytes)| {
        let page = pages.at(bytes.start).unwrap_or(0);
        chunk.has_vector
            && (chunk.position[0], chunk.position[3]) == (ordinal, page)
            && chunk.hash == hash_of(document.title.as_deref(), chunk.before(), &text[bytes])
    })
}

/// Takes title, what else is embedded before the text, and content of a chunk.
type TakeCut<'a> = dyn FnMut(Option<&str>, Before, &str) + 'a;

/// Hands each chunk that today's version of the chunker makes of documents, and that has no vector yet, to `take`: title, heading and context,
/// and content. With `all`, also those that have one.
pub fn each_cut(
    base: &KnowledgeBase,
    model: &model::Model,
    schema: &str,
    ids: &[Uuid],
    all: bool,
    take: &mut TakeCut,
) -> Result<()> {
    connect_without_seqscan(|c| {
        let documents = read_documents(c, base, schema, ids, Access::Read)?;
        let mut existing = read_chunks(c, base, schema, ids, Access::Read)?;
        for document in &documents {
            let mut embedded: HashMap<ChunkHash, usize> = HashMap::new();
            for old in existing.remove(&document.id).unwrap_or_default() {
                *embedded.entry(old.hash).or_default() += usize::from(old.has_vector && !all);
            }
            for_each_chunk(base, model, document, |new| {
                match embedded.get_mut(new.hash).filter(|left| **left > 0) {
                    Some(left) => *left -= 1,
                    None => take(new.title, new.chunk.before(), new.content),
                }
                Ok(())
            })?;
        }
        Ok(())
    })
}
