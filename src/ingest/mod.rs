//! Keeping `chunk` and `embedding` in sync with `document`.
//!
//! `trigger` finds the documents that a statement touched. `sync` updates their chunks: correct ones keep their row and
//! vector, the rest is written by `write` in batches. `compare` says which are not. `rebuild` does the same for a whole base. `add` is kb_add, `file`
//! kb_add_file, `import` kb_import; `next` cuts for a pending model; `take_over` writes documents of attached tables that bring vectors along.

mod add;
mod compare;
mod fetched;
mod file;
mod import;
mod import_columns;
mod language;
mod next;
mod own_write;
mod rebuild;
mod refresh;
mod replicated;
mod status;
mod summary;
mod sync;
mod take_over;
mod trigger;
mod waiting;
mod write;

pub use add::{Addition, DEFAULT_SOURCE_TYPE, add, check_metadata, require_insert};
pub use compare::{OutOfSync, each_cut, out_of_sync};
pub use fetched::{FetchedDocument, cut_again, require_writer, try_write, write_fetched, write_later};
pub use file::{FileAddition, add_file};
pub use import::import;
pub use import_columns::Columns;
pub use language::is_known as is_known_language;
pub use next::{cut as cut_next, note_versions as note_next_versions};
pub use own_write::OwnWrite;
pub use rebuild::{
    ALL_DOCUMENTS, embed_all, refresh_lexemes, refresh_lexemes_of, refresh_lexemes_of_chunks, sync_all,
};
pub use refresh::{refresh, require_seen_vectors};
pub use status::{
    FAILED, INDEXED, PENDING, all_indexed, queue_pending, queue_unfinished, set as set_status,
    watch as watch_settings,
};
pub use summary::{
    Source as SummarySource, enqueue_missing as enqueue_missing_summaries, read as read_for_summary,
    tidy_all as tidy_summaries, write as write_summary,
};
pub use sync::{connect_without_seqscan, group as sync_group, in_groups};
pub use take_over::{Given, Source, release, take_over};
pub use waiting::notify_once;
pub use write::{MakeVectors, document_metadata, statement};
