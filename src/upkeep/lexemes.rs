//! Changing the format of the lexemes of a base in the background: a worker rewrites its chunks, some at a time, while
//! searches read both formats. The change goes on after a crash, because each chunk says which analyzer made its lexemes.

use std::cell::Cell;

use pgrx::{Uuid, pg_sys};

use crate::base::{self, KnowledgeBase, Lexemes};
use crate::error::Result;
use crate::ingest;
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::test_point::{test_limit, test_point};
use crate::queue::{self, Kind};

/// So many chunks, and bytes of text, are rewritten in a transaction, for which writers of their documents wait.
const BATCH: i64 = 200;
const BATCH_BYTES: i64 = 1 << 20;

/// What is left to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Done,
    /// Another step, in a transaction of its own.
    Another,
    /// Another step, but other transactions have the rest locked.
    Busy,
}

/// How far this process has come with a base. Only a hint: a change is done when a look from the beginning finds no chunk.
#[derive(Clone, Copy, PartialEq)]
struct Position {
    base: Uuid,
    wanted: Lexemes,
    /// The last chunk that was looked at; None at the beginning.
    after: Option<Uuid>,
    /// Whether chunks were left out since the beginning, because others had them locked.
    is_any_busy: bool,
}

thread_local! {
    static POSITION: Cell<Option<Position>> = const { Cell::new(None) };
}

impl Position {
    fn beginning(base: &KnowledgeBase) -> Position {
        Position { base: base.id, wanted: base.settings.lexemes, after: None, is_any_busy: false }
    }

    fn of(base: &KnowledgeBase) -> Position {
        let beginning = Position::beginning(base);
        POSITION
            .get()
            .filter(|known| known.base == beginning.base && known.wanted == beginning.wanted)
            .unwrap_or(beginning)
    }
}

/// Queues the work if it is not queued.
pub fn enqueue(base: &KnowledgeBase) -> Result<()> {
    // The catalog of kb_rag 0.3.0 knows one format only.
    if !base::are_lexemes_recorded() || queue::is_pending(base.id, Kind::Lexemes)? {
        return Ok(());
    }
    queue::requeue(base.id, Kind::Lexemes, base.id)
}

/// Queues the work if a chunk has another format than the settings want. Run as the owner of the base.
pub fn enqueue_if_needed(c: &Connection, base: &KnowledgeBase) -> Result<()> {
    if next(c, base, None, 1)?.is_empty() { Ok(()) } else { enqueue(base) }
}

/// Rewrites the next chunks of a base whose lexemes are not as its settings want. Documents that others write are left for
/// later.
pub fn rewrite_next(id: Uuid) -> Result<Progress> {
    let Some(base) = base::by_id(id)?.filter(KnowledgeBase::has_schema) else { return Ok(Progress::Done) };
    base.lock()?;
    // As writers: from here on nobody changes the settings.
    for table in [c"document", c"chunk"] {
        relation::lock(base.table(table)?, pg_sys::RowExclusiveLock);
    }
    let Some(base) = base::by_id(id)? else { return Ok(Progress::Done) };
    let position = Position::of(&base);
    let (progress, position) = base.connect(|c| step(c, &base, position))?;
    POSITION.set(position);
    Ok(progress)
}

/// Rewrites the chunks after a position; returns also the next one.
fn step(
    c: &Connection,
    base: &KnowledgeBase,
    mut position: Position,
) -> Result<(Progress, Option<Position>)> {
    let found = next(c, base, position.after, test_limit("lexeme_batch", BATCH))?;
    let Some((last, _)) = found.last() else {
        return Ok(match position {
            Position { after: None, .. } => (Progress::Done, None),
            Position { is_any_busy: true, .. } => (Progress::Busy, None),
            _ => (Progress::Another, None),
        });
    };
    position.after = Some(*last);
    let mut documents: Vec<Uuid> = found.iter().map(|(_, document)| *document).collect();
    documents.sort_unstable_by_key(|id| *id.as_bytes());
    documents.dedup();
    let locked = lock_documents(c, base, &documents)?;
    position.is_any_busy |= locked.len() < documents.len();
    let chunks: Vec<Uuid> =
        found.into_iter().filter(|(_, document)| locked.contains(document)).map(|(chunk, _)| chunk).collect();
    test_point("lexemes.locked");
    ingest::refresh_lexemes_of_chunks(c, base, &base.quoted_schema(), &chunks)?;
    test_point("lexemes.written");
    Ok((Progress::Another, Some(position)))
}

/// The chunks after one whose lexemes are not as the settings want, with their documents.
fn next(c: &Connection, base: &KnowledgeBase, after: Option<Uuid>, max: i64) -> Result<Vec<(Uuid, Uuid)>> {
    let args = [Arg::new(after), Arg::new(max), Arg::new(test_limit("lexeme_bytes", BATCH_BYTES))];
    let sql = ingest::statement(include_str!("next_lexemes.sql"), &base.quoted_schema(), base);
    c.query(&sql, Access::Latest, Planning::Custom, &args, |row| Ok((row.require(1)?, row.require(2)?)))
}

/// Those of some documents that no other transaction has locked, now locked here.
fn lock_documents(c: &Connection, base: &KnowledgeBase, documents: &[Uuid]) -> Result<Vec<Uuid>> {
    let sql = spi::render(include_str!("lock_documents.sql"), &[("schema", &base.quoted_schema())]);
    let there = c.query(&sql, Access::Write, Planning::Custom, &[Arg::new(documents.to_vec())], |row| {
        Ok((row.require::<Uuid>(1)?, row.require::<bool>(2)?))
    })?;
    Ok(there.into_iter().filter(|(_, is_locked)| *is_locked).map(|(id, _)| id).collect())
}
