//! Questions: adding and reading them.

use kb_rag_core::evaluation::copies::normalized;
use pgrx::Uuid;

use super::{expected, tables};
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::privilege;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::search;

/// A question to be added.
pub struct NewQuestion<'a> {
    pub text: &'a str,
    pub keys: Vec<String>,
    pub documents: Vec<Uuid>,
    pub texts: Vec<String>,
    pub filter: Jsonb,
    pub agent: Option<Uuid>,
    pub tags: Vec<String>,
    pub weight: f64,
    pub is_draft: bool,
    /// Whether the caller gave NULL in place of what it expects.
    pub has_null: bool,
}

/// A question as the base has it.
pub struct Question {
    pub id: Uuid,
    pub text: String,
    pub keys: Vec<String>,
    pub documents: Vec<Uuid>,
    pub texts: Vec<String>,
    pub filter: Jsonb,
    pub agent: Option<Uuid>,
    pub weight: f64,
}

impl Question {
    /// The same for copies of a question, which are asked in the same way.
    pub fn copy_key(&self) -> String {
        let text = normalized(&self.text);
        format!(
            "{text}\n{}\n{}",
            self.filter.to_text(),
            self.agent.map(|id| id.to_string()).unwrap_or_default()
        )
    }

    /// Whether a search for it is to find nothing.
    pub fn expects_nothing(&self) -> bool {
        self.keys.is_empty() && self.documents.is_empty() && self.texts.is_empty()
    }
}

/// Adds a question to a base that the caller administers, and the tables if they are missing. 22023 for a value out of range, 54000
/// for a question that no search takes. Notifies of documents that it expects and the base does not have, and of the same question that is there.
pub fn add(knowledge_base: &str, new: NewQuestion) -> Result<Uuid> {
    let base = tables::of_base(knowledge_base, false).map_err(|error| {
        base::in_order(
            error,
            knowledge_base,
            new.text,
            "The name of the knowledge base comes before the question.",
        )
    })?;
    let (keys, documents) = (new.keys.clone(), new.documents.clone());
    let is_there = is_there(&base, &new)?;
    notify_of_null(&new);
    let id = insert(&base, new)?;
    if is_there {
        Error::remark(format!("knowledge base \"{}\" already has this question", base.name))
            .hint("kb_evaluate counts both. Delete one from its table question unless that is intended.")
            .notify();
    }
    expected::notify_of_missing(&base, &keys, &documents)?;
    Ok(id)
}

/// Notifies of a question that expects nothing because a value was missing, which may not be meant.
fn notify_of_null(new: &NewQuestion) {
    if new.has_null && new.keys.is_empty() && new.documents.is_empty() && new.texts.is_empty() {
        Error::remark(
            "the question has no expected keys, documents or texts, so a search for it must find nothing",
        )
        .detail("One of the arguments is null.")
        .hint("Give expected_keys, expected_documents or expected_texts if the question has an answer.")
        .notify_once();
    }
}

/// Whether the base has the same text with the same expectations, filter and agent. False for a caller that may not read its questions.
fn is_there(base: &KnowledgeBase, new: &NewQuestion) -> Result<bool> {
    if !privilege::may_select(base.table(c"question")?) {
        return Ok(false);
    }
    let sql = spi::render(include_str!("is_there.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| {
        let args = [
            Arg::new(new.text),
            Arg::new(new.keys.clone()),
            Arg::new(new.documents.clone()),
            Arg::new(new.texts.clone()),
            Arg::new(new.filter.clone()),
            Arg::new(new.agent),
        ];
        // Also one that the statement of the caller has added.
        c.query_one(&sql, Access::Write, &args, |row| row.require(1))
    })
    .map(|there| there.unwrap_or_default())
}

/// Adds a question to a base that has the tables.
pub fn insert(base: &KnowledgeBase, new: NewQuestion) -> Result<Uuid> {
    check(&new)?;
    let sql = spi::render(include_str!("add.sql"), &[("schema", &base.quoted_schema())]);
    let id = base.connect(|c| {
        let args = [
            Arg::new(new.text),
            Arg::new(new.keys),
            Arg::new(new.documents),
            Arg::new(new.texts),
            Arg::new(new.filter),
            Arg::new(new.agent),
            Arg::new(new.tags),
            Arg::new(new.weight),
            Arg::new(new.is_draft),
        ];
        c.query_one(&sql, Access::Write, &args, |row| row.require(1))
    })?;
    id.ok_or_else(|| {
        Error::not_ready("a trigger on the table question suppressed the row")
            .hint("Look at the triggers of the table.")
    })
}

fn check(new: &NewQuestion) -> Result<()> {
    if new.text.trim().is_empty() {
        return Err(Error::invalid("the question is empty").hint("Give a question as people ask it."));
    }
    search::check_query(new.text, false)?;
    if !(new.weight > 0.0 && new.weight.is_finite()) {
        return Err(Error::invalid(format!("weight {} is out of range", new.weight))
            .hint("Use a number above 0; 1 is the default."));
    }
    if new.texts.iter().any(|text| text.trim().is_empty()) {
        return Err(Error::invalid("expected_texts has an empty text").hint("Give a quote of a document."));
    }
    base::check_filter(&new.filter)
}

/// The questions with a tag, or all; of these the ones with `ids`. In the order in which they were added. 55000 if there are none.
pub fn read(base: &KnowledgeBase, tag: Option<&str>, ids: Option<&[Uuid]>) -> Result<Vec<Question>> {
    tables::require(base)?;
    let found = all(base, tag, ids)?;
    match (found.is_empty(), tag) {
        (false, _) => Ok(found),
        (true, _) if ids.is_some_and(|ids| !ids.is_empty()) => {
            Err(Error::not_ready(format!("knowledge base \"{}\" has no questions with these ids", base.name))
                .hint("Look at the ids in its table question, and leave the tag out."))
        }
        (true, None) => Err(tables::none(base)),
        (true, Some(tag)) => Err(Error::not_ready(format!(
            "knowledge base \"{}\" has no questions with the tag \"{tag}\"",
            base.name
        ))
        .hint("Leave the tag out, or look at the tags in its table question.")),
    }
}

fn all(base: &KnowledgeBase, tag: Option<&str>, ids: Option<&[Uuid]>) -> Result<Vec<Question>> {
    let sql = spi::render(include_str!("questions.sql"), &[("schema", &base.quoted_schema())]);
    base.read(|| {
        spi::connect(|c| {
            let args = [Arg::new(tag), Arg::new(ids.map(<[Uuid]>::to_vec))];
            c.query(&sql, Access::Read, Planning::Auto, &args, |row| {
                Ok(Question {
                    id: row.require(1)?,
                    text: row.require(2)?,
                    keys: row.require(3)?,
                    documents: row.require(4)?,
                    texts: row.require(5)?,
                    filter: row.require(6)?,
                    agent: row.get(7)?,
                    weight: row.require(8)?,
                })
            })
        })
    })
}
