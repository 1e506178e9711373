//! What a question expects, found among the documents that the caller sees.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use kb_rag_core::evaluation::Quote;
use kb_rag_core::evaluation::quote::Page;
use kb_rag_core::near::near;
use pgrx::Uuid;

use super::question::Question;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::interrupt;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::search::FoundChunk;

/// Documents by their source_key.
type Keys = HashMap<String, HashSet<Uuid>>;

/// At most this many source_keys are read to find one that was meant.
const MAX_KEYS: i64 = 10_000;
/// At most this many missing keys are compared with them.
const MAX_COMPARED: usize = 5;
/// Documents read at a time.
const FETCHED: i64 = 64;

/// Documents of the source_keys, and those of the ids, that the caller sees.
fn visible(
    base: &KnowledgeBase,
    keys: HashSet<&str>,
    ids: HashSet<Uuid>,
    access: Access,
) -> Result<(Keys, HashSet<Uuid>)> {
    let schema = base.quoted_schema();
    base.read(|| {
        spi::connect(|c| {
            let mut of_keys = Keys::new();
            let sql = spi::render(include_str!("keys.sql"), &[("schema", &schema)]);
            let args = [Arg::new(keys.into_iter().collect::<Vec<_>>())];
            let found = c.query(&sql, access, Planning::Auto, &args, |row| {
                Ok((row.require::<String>(1)?, row.require::<Uuid>(2)?))
            })?;
            for (key, document) in found {
                of_keys.entry(key).or_default().insert(document);
            }
            let sql = spi::render(include_str!("documents.sql"), &[("schema", &schema)]);
            let args = [Arg::new(ids.into_iter().collect::<Vec<_>>())];
            let found = c.query(&sql, access, Planning::Auto, &args, |row| row.require::<Uuid>(1))?;
            Ok((of_keys, found.into_iter().collect()))
        })
    })
}

/// Notifies of source_keys and ids that no document of the base has. A caller that may not read the base is told nothing.
pub fn notify_of_missing(base: &KnowledgeBase, keys: &[String], ids: &[Uuid]) -> Result<()> {
    let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let ids: BTreeSet<Uuid> = ids.iter().copied().collect();
    if keys.is_empty() && ids.is_empty() || !base.is_readable()? {
        return Ok(());
    }
    // Also those that the statement of the caller has added.
    let (of_keys, documents) =
        visible(base, keys.iter().copied().collect(), ids.iter().copied().collect(), Access::Write)?;
    let keys: Vec<&str> = keys.into_iter().filter(|key| !of_keys.contains_key(*key)).collect();
    let present = if keys.is_empty() { Vec::new() } else { some_keys(base)? };
    for (place, key) in keys.into_iter().enumerate() {
        interrupt::check_for_interrupts();
        let near = |key| near(key, present.iter().map(String::as_str));
        let meant = if place < MAX_COMPARED { near(key) } else { Vec::new() };
        missing(base, "source_key", key, meant.first().copied());
    }
    for id in ids.iter().filter(|id| !documents.contains(id)) {
        missing(base, "id", &id.to_string(), None);
    }
    Ok(())
}

fn missing(base: &KnowledgeBase, column: &str, value: &str, meant: Option<&str>) {
    let not_counted = "kb_evaluate does not count an expected document that does not exist.";
    let hint = match meant {
        Some(meant) => format!("Did you mean \"{meant}\"? {not_counted}"),
        None => not_counted.to_string(),
    };
    Error::remark(format!("no document of knowledge base \"{}\" has the {column} \"{value}\"", base.name))
        .hint(hint)
        .notify();
}

/// Source_keys of documents that the caller sees: of a large base, of some.
fn some_keys(base: &KnowledgeBase) -> Result<Vec<String>> {
    let sql = spi::render(include_str!("some_keys.sql"), &[("schema", &base.quoted_schema())]);
    base.read(|| {
        spi::connect(|c| {
            c.query(&sql, Access::Write, Planning::Auto, &[Arg::new(MAX_KEYS)], |row| row.require(1))
        })
    })
}

/// Where something expected was found.
#[derive(Clone, Copy, Default)]
pub struct Found {
    /// From 1; None if it is not among the results.
    pub rank: Option<usize>,
    /// The result, from 0.
    pub place: Option<usize>,
}

/// What is expected of the searches for some questions.
pub struct Expected {
    /// The visible documents of each source_key that a question names.
    keys: Keys,
    /// The documents that questions name and the caller sees.
    documents: HashSet<Uuid>,
    /// The expected texts.
    texts: Vec<Quote>,
    /// Those that some document has; None until a text is missed for the first time.
    present: Option<HashSet<Quote>>,
    /// Documents among the results.
    pages: HashMap<Uuid, Page>,
}

impl Expected {
    /// That of some questions, but for texts.
    pub fn of(base: &KnowledgeBase, questions: &[Question]) -> Result<Expected> {
        let keys: HashSet<&str> =
            questions.iter().flat_map(|question| &question.keys).map(String::as_str).collect();
        let ids: HashSet<Uuid> = questions.iter().flat_map(|question| &question.documents).copied().collect();
        let (keys, documents) = visible(base, keys, ids, Access::Read)?;
        Ok(Expected {
            keys,
            documents,
            texts: questions
                .iter()
                .flat_map(|question| &question.texts)
                .filter_map(|text| Quote::of(text))
                .collect::<HashSet<_>>()
                .into_iter()
                .collect(),
            present: None,
            pages: HashMap::new(),
        })
    }

    /// Where results have all that a question expects: a document at its first chunk, where ranks count documents; a text at the first
    /// chunk with half of it. What no visible document has is left out.
    pub fn ranks(
        &mut self,
        base: &KnowledgeBase,
        question: &Question,
        results: &[FoundChunk],
    ) -> Result<Vec<Found>> {
        let mut by_document: HashMap<Uuid, Found> = HashMap::new();
        for (place, found) in results.iter().enumerate() {
            let rank = by_document.len() + 1;
            by_document.entry(found.document_id).or_insert(Found { rank: Some(rank), place: Some(place) });
        }
        let first = |documents: &mut dyn Iterator<Item = &Uuid>| {
            let found = documents.filter_map(|document| by_document.get(document));
            found.min_by_key(|found| found.rank).copied().unwrap_or_default()
        };
        let mut ranks = Vec::new();
        for key in &question.keys {
            ranks.extend(self.keys.get(key).map(|documents| first(&mut documents.iter())));
        }
        for document in question.documents.iter().filter(|document| self.documents.contains(*document)) {
            ranks.push(by_document.get(document).copied().unwrap_or_default());
        }
        for text in &question.texts {
            ranks.extend(self.of_text(base, text, results)?);
        }
        Ok(ranks)
    }

    /// Where results have a text; None if no document has it.
    fn of_text(&mut self, base: &KnowledgeBase, text: &str, results: &[FoundChunk]) -> Result<Option<Found>> {
        let Some(quote) = Quote::of(text) else { return Ok(None) };
        self.read_pages(base, results)?;
        for (place, found) in results.iter().enumerate() {
            let Some(page) = self.pages.get(&found.document_id) else { continue };
            let places = quote.places(page);
            if let Some(chunk) = extent(found)
                && quote.is_held(page, &places, chunk)
            {
                return Ok(Some(Found { rank: Some(place + 1), place: Some(place) }));
            }
        }
        let present = match &self.present {
            Some(present) => present,
            None => self.present.insert(present(base, std::mem::take(&mut self.texts))?),
        };
        Ok(present.contains(&quote).then(Found::default))
    }

    /// Reads the documents of results that are not known yet.
    fn read_pages(&mut self, base: &KnowledgeBase, results: &[FoundChunk]) -> Result<()> {
        let missing: HashSet<Uuid> = results
            .iter()
            .map(|found| found.document_id)
            .filter(|document| !self.pages.contains_key(document))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        // A page is some times as long as its document: those of one question at a time.
        self.pages.clear();
        let wanted: HashSet<Uuid> = results.iter().map(|found| found.document_id).collect();
        let sql = spi::render(include_str!("contents.sql"), &[("schema", &base.quoted_schema())]);
        let read = base.read(|| {
            spi::connect(|c| {
                let args = [Arg::new(wanted.into_iter().collect::<Vec<_>>())];
                c.query(&sql, Access::Read, Planning::Auto, &args, |row| {
                    Ok((row.require::<Uuid>(1)?, Page::of(&row.require::<String>(2)?)))
                })
            })
        })?;
        self.pages.extend(read);
        Ok(())
    }
}

/// The characters of its document that a result shows; None where the owner dropped these columns.
fn extent(found: &FoundChunk) -> Option<Range<u32>> {
    let offset = |value: Option<i32>| value.and_then(|value| u32::try_from(value).ok());
    Some(offset(found.start_char)?..offset(found.end_char)?)
}

/// Those of some texts that a document has which the caller sees. Reads one document after the other, until all are found.
fn present(base: &KnowledgeBase, mut missing: Vec<Quote>) -> Result<HashSet<Quote>> {
    let sql = spi::render(include_str!("all_contents.sql"), &[("schema", &base.quoted_schema())]);
    let mut found = HashSet::new();
    base.read(|| {
        spi::connect(|c| {
            let cursor = c.cursor(&sql, &[])?;
            loop {
                let read = cursor.fetch(FETCHED, |row| {
                    interrupt::check_for_interrupts();
                    let page = Page::of(&row.require::<String>(1)?);
                    found.extend(missing.extract_if(.., |quote| quote.is_in(&page)));
                    Ok(())
                })?;
                if read.is_empty() || missing.is_empty() {
                    cursor.close();
                    return Ok(());
                }
            }
        })
    })?;
    Ok(found)
}
