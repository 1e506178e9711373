//! Comparing a whole attached table with its documents: both are read side by side in key order.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet, VecDeque};

use kb_rag_core::given_vector;
use pgrx::Uuid;

use super::attachment::Attachment;
use super::document::Documents;
use super::embedding::Vectors;
use super::row::{self, SourceRow};
use super::select::Select;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::lock::RowPatience;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Cursor, Planning, Row};

/// Keys fetched at a time.
const FETCHED: i64 = 256;
/// Documents deleted at a time: each time the table is read once more.
const DELETED: usize = 10_000;
/// Differing rows that are read again and written at a time.
const REPAIRED: usize = 64;

/// In place of the hash of a row of which no text was read.
const NO_TEXT: &[u8] = &[];

/// What a document is made from.
struct Made {
    /// A hash of all but the vector.
    hash: Option<Vec<u8>>,
    vector: Option<Vec<f32>>,
}

impl Made {
    fn differs(&self, other: &Made) -> bool {
        let has_same_vector = match (&self.vector, &other.vector) {
            (Some(a), Some(b)) => given_vector::are_same(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.hash != other.hash || !has_same_vector
    }
}

/// A row with text: its key, the parts of the key, and what its document is made from.
type KeyOfRow = (String, Vec<String>, Made);
/// A document: its key if it has one, its id, and what it was made from.
type KeyOfDocument = (Option<String>, Uuid, Made);

/// A cursor read ahead a little.
struct Ahead<T, F> {
    fetch: F,
    rows: VecDeque<T>,
}

impl<T, F: FnMut() -> Result<Vec<T>>> Ahead<T, F> {
    fn new(fetch: F) -> Ahead<T, F> {
        Ahead { fetch, rows: VecDeque::new() }
    }

    fn peek(&mut self) -> Result<Option<&T>> {
        if self.rows.is_empty() {
            check_for_interrupts();
            self.rows.extend((self.fetch)()?);
        }
        Ok(self.rows.front())
    }

    fn next(&mut self) -> Result<Option<T>> {
        self.peek()?;
        Ok(self.rows.pop_front())
    }
}

/// Follows a TRUNCATE of the table or of one of its partitions.
pub fn truncated(base: &KnowledgeBase, attachment: &Attachment) -> Result<()> {
    let any = Select::new(&attachment.table)?.any();
    let rows_are_left =
        attachment.table.connect(|c| c.query_one(&any, Access::Write, &[], |row| row.require::<bool>(1)))?;
    if rows_are_left == Some(true) {
        // This is a statement of a user: it waits for locks as any DELETE does.
        Comparison::new(base, attachment, None)?.run(false)?;
    } else {
        Documents::new(base, attachment).delete_all()?;
        require_none(base, attachment)?;
    }
    Ok(())
}

/// 40001 if documents are left that a kept snapshot does not show: TRUNCATE removed their rows all the same.
fn require_none(base: &KnowledgeBase, attachment: &Attachment) -> Result<()> {
    if !snapshot::is_kept() {
        return Ok(());
    }
    let sql = spi::render(include_str!("has_documents.sql"), &[("schema", &base.quoted_schema())]);
    let are_left = base.connect(|c| {
        c.query_one(&sql, Access::Latest, &[Arg::new(attachment.source_id)], |row| row.require::<bool>(1))
    })?;
    if are_left == Some(true) {
        return Err(Error::serialization(format!(
            "could not serialize access due to concurrent writes of table {}",
            attachment.table.name
        ))
        .hint("Run the transaction again."));
    }
    Ok(())
}

/// Removes the documents whose row is gone, or has no text.
pub fn remove_gone(
    base: &KnowledgeBase,
    attachment: &Attachment,
    patience: &RowPatience,
) -> Result<Compared> {
    Comparison::new(base, attachment, Some(patience))?.run(false)
}

/// Syncs the documents with the rows. A row that another transaction is writing is left to that transaction.
pub fn repair(base: &KnowledgeBase, attachment: &Attachment, patience: &RowPatience) -> Result<Compared> {
    Comparison::new(base, attachment, Some(patience))?.run(true)
}

/// The result of a comparison.
pub struct Compared {
    /// How many documents were out of sync and have been repaired.
    pub repaired: u64,
    /// How many are still out of sync, because other transactions have them locked.
    pub busy: u64,
}

struct Comparison<'a> {
    base: &'a KnowledgeBase,
    attachment: &'a Attachment,
    select: Select<'a>,
    documents: Documents<'a>,
    /// How long to wait for documents that other transactions have locked. None: each is waited for without a limit.
    patience: Option<&'a RowPatience>,
}

/// A document whose row is gone: its id and its key if it has one.
type GoneDocument = (Uuid, Option<String>);
/// A row by its key, as text and as parts.
type RowKey = (String, Vec<String>);

enum Difference {
    Gone(GoneDocument),
    /// A row without a document, or whose document differs.
    Differs(RowKey),
}

/// The differences in key order, found as both sides are read.
struct Differences<D, R> {
    documents: Ahead<KeyOfDocument, D>,
    rows: Ahead<KeyOfRow, R>,
}

impl<D, R> Differences<D, R>
where
    D: FnMut() -> Result<Vec<KeyOfDocument>>,
    R: FnMut() -> Result<Vec<KeyOfRow>>,
{
    fn find(&mut self) -> Result<Option<Difference>> {
        loop {
            let order = match (self.documents.peek()?, self.rows.peek()?) {
                (None, None) => return Ok(None),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((key, ..)), Some((row, ..))) => key.as_ref().map_or(Ordering::Less, |key| key.cmp(row)),
            };
            match order {
                Ordering::Less => {
                    return Ok(self.documents.next()?.map(|(key, id, _)| Difference::Gone((id, key))));
                }
                Ordering::Greater => {
                    let row = self.rows.next()?.filter(|(.., made)| made.hash.as_deref() != Some(NO_TEXT));
                    if let Some((key, parts, _)) = row {
                        return Ok(Some(Difference::Differs((key, parts))));
                    }
                }
                Ordering::Equal => {
                    let (document, row) = (self.documents.next()?, self.rows.next()?);
                    if let (Some((.., of_document)), Some((key, parts, of_row))) = (document, row)
                        && of_document.differs(&of_row)
                    {
                        return Ok(Some(Difference::Differs((key, parts))));
                    }
                }
            }
        }
    }
}

impl<D, R> Iterator for Differences<D, R>
where
    D: FnMut() -> Result<Vec<KeyOfDocument>>,
    R: FnMut() -> Result<Vec<KeyOfRow>>,
{
    type Item = Result<Difference>;

    fn next(&mut self) -> Option<Result<Difference>> {
        self.find().transpose()
    }
}

/// What is to be deleted and written.
#[derive(Default)]
struct Batch {
    gone: Vec<GoneDocument>,
    differing: Vec<RowKey>,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> u64 {
        (self.gone.len() + self.differing.len()) as u64
    }

    /// Whether it is to be corrected before more is read, so that its size stays limited.
    fn is_full(&self) -> bool {
        self.gone.len() >= DELETED || self.differing.len() >= REPAIRED
    }
}

impl<'a> Comparison<'a> {
    fn new(
        base: &'a KnowledgeBase,
        attachment: &'a Attachment,
        patience: Option<&'a RowPatience>,
    ) -> Result<Comparison<'a>> {
        let (select, documents) = (Select::new(&attachment.table)?, Documents::new(base, attachment));
        Ok(Comparison { base, attachment, select, documents, patience })
    }

    /// Compares the keys, and with `texts` also the texts.
    fn run(&self, texts: bool) -> Result<Compared> {
        // The documents first: a row that is not seen after that has been deleted, and its trigger deletes the document.
        let document_cursor = self.open_documents(texts)?;
        let row_cursor = self.open_rows(texts)?;
        let (mut found, mut busy) = (Batch::default(), Batch::default());
        let mut repaired = 0;
        for difference in self.differences(&document_cursor, &row_cursor, texts) {
            match difference? {
                Difference::Gone(document) => found.gone.push(document),
                Difference::Differs(row) if texts => found.differing.push(row),
                Difference::Differs(_) => {}
            }
            if found.is_full() {
                repaired += self.correct(&mut found, &mut busy)?;
            }
        }
        self.close(row_cursor, document_cursor)?;
        repaired += self.correct(&mut found, &mut busy)?;
        while !busy.is_empty() && self.patience.map_or(Ok(false), RowPatience::wait)? {
            std::mem::swap(&mut found, &mut busy);
            repaired += self.correct(&mut found, &mut busy)?;
        }
        Ok(Compared { repaired, busy: busy.len() })
    }

    /// A row whose text is made here, not in SQL.
    fn read(&self, row: &Row) -> Result<KeyOfRow> {
        let (made, key) = (SourceRow::read(row)?, row.require(SourceRow::COLUMNS + 1)?);
        let hash = made
            .content
            .is_some()
            .then(|| made.hash(self.select.sets_mime_type(), self.select.sets_language()));
        let (hash, vector) = (hash.unwrap_or_else(|| NO_TEXT.to_vec()), self.documents.vector_of(&made));
        Ok((made.key, key, Made { hash: Some(hash), vector }))
    }

    fn differences(
        &self,
        documents: &Cursor,
        rows: &Cursor,
        texts: bool,
    ) -> impl Iterator<Item = Result<Difference>> {
        let is_read = texts && self.select.is_hashed_here();
        Differences {
            documents: Ahead::new(|| {
                self.base.connect(|_| {
                    documents.fetch(FETCHED, |row| -> Result<KeyOfDocument> {
                        Ok((row.get(1)?, row.require(2)?, Made { hash: row.get(3)?, vector: row.get(4)? }))
                    })
                })
            }),
            rows: Ahead::new(move || {
                self.attachment.table.connect(|_| {
                    if is_read {
                        return rows.fetch(row::FETCHED, |row| self.read(row));
                    }
                    rows.fetch(FETCHED, |row| -> Result<KeyOfRow> {
                        Ok((row.require(1)?, row.require(2)?, Made { hash: row.get(3)?, vector: None }))
                    })
                })
            }),
        }
    }

    /// Repairs what was found; what other transactions have locked is added to `busy`.
    fn correct(&self, found: &mut Batch, busy: &mut Batch) -> Result<u64> {
        let found = std::mem::take(found);
        let mut repaired = 0;
        if !found.gone.is_empty() {
            repaired += self.delete(found.gone, &mut busy.gone)?;
        }
        for group in found.differing.chunks(REPAIRED) {
            repaired += self.write(group, &mut busy.differing)?;
        }
        Ok(repaired)
    }

    fn open_documents(&self, texts: bool) -> Result<Cursor> {
        // Documents whose rows do not decide on these may have their own.
        let column = |is_set: bool, name: &'static str| if is_set { name } else { "NULL::text" };
        let values = [
            ("mime_type", column(self.select.sets_mime_type(), "mime_type")),
            ("language", column(self.select.sets_language(), "language")),
        ];
        let made = spi::render(include_str!("documents_hash.sql"), &values);
        let hash = if self.select.is_hashed_here() {
            made.as_str()
        } else {
            "sha256(convert_to(json_build_array(content, title, metadata::text)::text, 'UTF8'))"
        };
        let schema = self.base.quoted_schema();
        let of_chunk = spi::render(include_str!("vector_of_document.sql"), &[("schema", &schema)]);
        // A document whose vector was taken, and that is to be embedded, has no hash: it differs from its row.
        let (vectors, hash) = match self.attachment.table.vectors {
            Vectors::Taken(_) => {
                (&*of_chunk, format!("CASE WHEN NOT imported OR vector IS NOT NULL THEN {hash} END"))
            }
            Vectors::Released => ("", format!("CASE WHEN NOT imported THEN {hash} END")),
            Vectors::None | Vectors::Kept => ("", hash.to_string()),
        };
        let vector = if vectors.is_empty() { "NULL" } else { "v.vector" };
        let values = [("schema", &*schema), ("hash", &hash), ("vectors", vectors), ("vector", vector)];
        let sql = spi::render(include_str!("all_documents.sql"), &values);
        self.base.connect(|c| {
            let args = [
                Arg::new(self.attachment.source_id),
                Arg::new(self.attachment.source_type.as_str()),
                Arg::new(texts),
            ];
            c.cursor(&sql, &args)
        })
    }

    fn open_rows(&self, texts: bool) -> Result<Cursor> {
        let sql = if texts && self.select.is_hashed_here() {
            self.select.all_values()
        } else {
            self.select.all(texts)
        };
        self.attachment.table.connect(|c| c.cursor(&sql, &[]))
    }

    fn close(&self, rows: Cursor, documents: Cursor) -> Result<()> {
        spi::connect(|_| {
            rows.close();
            documents.close();
            Ok(())
        })
    }

    /// Deletes documents whose rows are still missing once the documents are locked: if a row was inserted meanwhile, its
    /// document was written before the lock, or will be written again after us.
    fn delete(&self, mut gone: Vec<GoneDocument>, busy: &mut Vec<GoneDocument>) -> Result<u64> {
        let ids = gone.iter().map(|(id, _)| *id).collect();
        let locked: HashMap<Uuid, bool> =
            self.documents.lock(ids, self.patience.is_none())?.into_iter().collect();
        if self.patience.is_some() {
            busy.extend(gone.iter().filter(|(id, _)| locked.get(id) == Some(&false)).cloned());
        }
        gone.retain(|(id, _)| locked.get(id) == Some(&true));
        if gone.iter().all(|(_, key)| key.is_none()) {
            // These documents have another type than the source: no row belongs to them.
            return self.documents.delete(gone);
        }
        let keys: Vec<&str> = gone.iter().filter_map(|(_, key)| key.as_deref()).collect();
        let back: HashSet<String> = self
            .attachment
            .table
            .connect(|c| {
                let sql = self.select.there();
                c.query(&sql, Access::Latest, Planning::Custom, &[Arg::new(keys)], |row| row.require(1))
            })?
            .into_iter()
            .collect();
        gone.retain(|(_, key)| key.as_ref().is_none_or(|key| !back.contains(key)));
        self.documents.delete(gone)
    }

    /// Writes the documents of some rows, which are read again and locked.
    fn write(&self, keys: &[RowKey], busy: &mut Vec<RowKey>) -> Result<u64> {
        let sql = self.select.locked()?;
        let mut rows = self.attachment.table.connect(|c| {
            let args: Vec<Arg> = (0..self.select.key().len())
                .map(|i| Arg::new(keys.iter().map(|(_, parts)| parts.get(i).cloned()).collect::<Vec<_>>()))
                .collect();
            c.query(&sql, Access::Write, Planning::Custom, &args, SourceRow::read)
        })?;
        let locked: HashSet<String> = self
            .documents
            .lock_free(rows.iter().map(|row| row.key.as_str()).collect())?
            .into_iter()
            .collect();
        busy.extend(keys.iter().filter(|(key, _)| locked.contains(key)).cloned());
        rows.retain(|row| !locked.contains(&row.key));
        self.documents.write(&rows)
    }
}
