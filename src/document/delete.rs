//! kb_delete and kb_delete_where: deleting documents.

use kb_rag_core::filter::condition::Looked;
use pgrx::{Uuid, pg_sys};
use serde_json::json;

use super::scope::{self, Purpose};
use super::{remark, rows};
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// Deletes the document with its chunks. False where there is none that the caller may see and delete. 55000 for one that comes
/// from a row of an attached table: kb_reconcile would bring it back.
pub fn delete(id: Uuid, knowledge_base: Option<&str>) -> Result<bool> {
    let purpose = Purpose { access: Access::Write, verb: "written to", check: KnowledgeBase::require_delete };
    scope::with_base_of(id, knowledge_base, &purpose, |base| {
        let Some(base) = base else { return Ok(false) };
        if let Some(table) = followed_table(base, id)? {
            return Err(Error::not_ready(format!("document \"{id}\" comes from a row of table {table}"))
                .detail("The table is attached: kb_reconcile would bring the document back.")
                .hint(format!("Delete the row in {table}, or detach the table with kb_detach.")));
        }
        let sql = spi::render(include_str!("delete.sql"), &[("schema", &base.quoted_schema())]);
        let deleted = base.write_documents(|| spi::connect(|c| c.execute(&sql, &[Arg::new(id)])))?;
        Ok(deleted > 0)
    })
}

/// Deletes the documents that pass a filter, of those that the caller may see and delete, with their chunks; returns their number.
/// 22023 for a filter that everything passes, or that negates a key which no document has, unless that is meant. 55000 if one comes from a
/// row of an attached table.
pub fn delete_where(knowledge_base: &str, given: &Jsonb, everything: bool) -> Result<i64> {
    let filter = Filter::read(given)?;
    if filter.is_none() && !everything {
        return Err(Error::invalid("the filter is empty")
            .hint("To delete all documents of the knowledge base, pass everything => true."));
    }
    base::naming_base(knowledge_base, "written to", || {
        base::pinned(
            || Ok(vec![base::by_name(knowledge_base, Access::Write)?]),
            |bases| {
                let deleted = bases.iter().map(|base| delete_in(base, filter.as_ref(), everything));
                let deleted = deleted.sum::<Result<i64>>()?;
                if deleted == 0 {
                    remark::of_nothing(&bases, Some(given), None, Access::Write)?;
                }
                Ok(deleted)
            },
        )
    })
}

fn delete_in(base: &KnowledgeBase, filter: Option<&Filter>, everything: bool) -> Result<i64> {
    base.require_read()?;
    base.require_delete()?;
    if !everything {
        check_negated(base, filter)?;
    }
    let render = |template: &str, args: &mut Vec<Arg>| {
        let conditions = rows::conditions(base, filter, args)?;
        Ok::<_, Error>(spi::render(
            template,
            &[("schema", &base.quoted_schema()), ("conditions", &conditions)],
        ))
    };
    if base.has_own_columns(c"document", &[(c"source_id", pg_sys::UUIDOID)]) {
        let sources: Vec<Uuid> = base.read(|| {
            spi::connect(|c| {
                let mut args = Vec::new();
                let sql = render(include_str!("sources_where.sql"), &mut args)?;
                c.query(&sql, Access::Write, Planning::Custom, &args, |row| row.require(1))
            })
        })?;
        for source in sources {
            if let Some(table) = attach::followed_table(base, source)? {
                return Err(Error::not_ready(format!(
                    "documents that pass the filter come from rows of table {table}"
                ))
                .detail("The table is attached: kb_reconcile would bring the documents back.")
                .hint(format!("Delete the rows in {table}, or detach the table with kb_detach.")));
            }
        }
    }
    let deleted = base.write_documents(|| {
        spi::connect(|c| {
            let mut args = Vec::new();
            let sql = render(include_str!("delete_where.sql"), &mut args)?;
            c.execute(&sql, &args)
        })
    })?;
    Ok(i64::try_from(deleted).unwrap_or(i64::MAX))
}

/// Keys that chunks have in their metadata, and documents do not.
const OF_CHUNKS: [&str; 3] = ["chunkIndex", "page", "heading"];

/// 22023 for a filter that holds where a value is missing that no document has: a mistyped key would let documents pass. Only `$exists`
/// says that itself, but of keys of chunks.
fn check_negated(base: &KnowledgeBase, filter: Option<&Filter>) -> Result<()> {
    let negated = |looked: &Looked| {
        let is_of_chunks = looked.path.first().is_some_and(|key| OF_CHUNKS.contains(&key.as_str()));
        looked.is_negated && (!looked.is_exists || is_of_chunks)
    };
    let subjects = filter.map(Filter::subjects).unwrap_or_default();
    let paths: Vec<Vec<String>> = subjects.into_iter().filter(negated).map(|looked| looked.path).collect();
    if paths.is_empty() {
        return Ok(());
    }
    let sql = spi::render(
        include_str!("unknown_paths.sql"),
        &[("schema", &base.quoted_schema()), ("metadata", &rows::metadata(base, filter))],
    );
    let args = [Arg::new(Jsonb::from_text(&json!(paths).to_string())?)];
    let unknown =
        base.read(|| spi::connect(|c| c.query_one(&sql, Access::Write, &args, |row| row.get::<String>(1))))?;
    match unknown.flatten() {
        None => Ok(()),
        Some(key) => Err(Error::invalid(format!(
            "no document of knowledge base \"{}\" has metadata key \"{key}\"",
            base.name
        ))
        .detail("$ne, $nin and $not let documents pass that lack the key.")
        .hint("Correct the key. To delete these documents, pass everything => true.")),
    }
}

/// The attached table that the document comes from, qualified and quoted.
fn followed_table(base: &KnowledgeBase, id: Uuid) -> Result<Option<String>> {
    if !base.has_own_columns(c"document", &[(c"source_id", pg_sys::UUIDOID)]) {
        return Ok(None);
    }
    let sql = spi::render(include_str!("source_of.sql"), &[("schema", &base.quoted_schema())]);
    let source = base.read(|| {
        spi::connect(|c| c.query_one(&sql, Access::Write, &[Arg::new(id)], |row| row.get::<Uuid>(1)))
    })?;
    source.flatten().map_or(Ok(None), |source| attach::followed_table(base, source))
}
