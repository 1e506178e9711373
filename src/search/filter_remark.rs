//! A notice about a filter under which a search found nothing: a key, a type of values or a spelling that no chunk has.

use kb_rag_core::filter::remark::{Held, Remark, Values, Wanted, demanded, remark, unmet, wanted};
use pgrx::pg_sys;
use serde_json::{Map, Value};

use super::Request;
use super::filter::Filter;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::test_point::test_limit;

/// At most this many chunks of a base are read for the keys of their metadata.
const MAX_READ: i64 = 10_000;
/// At most this many keys are read.
const MAX_KEYS: i32 = 1_000;
/// At most this many objects of a filter are looked at.
const MAX_OBJECTS: usize = 8;

/// Notifies of a filter that no chunk can pass. Reads few chunks, only those that the search may find: where there are more,
/// nothing is told.
pub fn notify(request: &Request, bases: &[KnowledgeBase]) -> Result<()> {
    if let Some(found) = find(request.filter.as_ref(), |path, wanted| held(bases, path, wanted))? {
        tell(found, "chunk", &base::named(bases.iter()));
    }
    Ok(())
}

/// The same of a filter of an agent, for who administers the base. A caller that may not read it is told nothing.
pub fn notify_of_agent(knowledge_base: &str, filter: &Jsonb) -> Result<()> {
    if filter.is_empty_object() {
        return Ok(());
    }
    let base = base::by_name(knowledge_base, Access::Write)?;
    if !base.is_readable()? {
        return Ok(());
    }
    let bases = [base];
    if let Some(found) = find(Some(filter), |path, wanted| held(&bases, path, wanted))? {
        tell(found, "chunk", &base::named(bases.iter()));
    }
    Ok(())
}

/// The same of a filter on documents, whose metadata `metadata` reads.
pub fn notify_of_documents(
    filter: Option<&Jsonb>,
    bases: &[KnowledgeBase],
    access: Access,
    metadata: impl Fn(&KnowledgeBase) -> Result<String>,
) -> Result<()> {
    let held = |path: &[String], wanted: &Wanted| {
        held_by(bases, path, wanted, access, |base, _| {
            let (schema, metadata) = (base.quoted_schema(), metadata(base)?);
            let values = [("schema", &*schema), ("metadata", &*metadata)];
            let rows = spi::render(include_str!("keys_of_documents.sql"), &values);
            Ok((rows, "true".to_string()))
        })
    };
    if let Some(found) = find(filter, held)? {
        tell(found, "document", &base::named(bases.iter()));
    }
    Ok(())
}

/// The reason why nothing passes a filter, if `held` tells one: the keys of metadata at a path, for the keys of the filter there.
pub fn find<E>(
    filter: Option<&Jsonb>,
    mut held: impl FnMut(&[String], &Wanted) -> Result<Option<Held>, E>,
) -> Result<Option<Remark>, E> {
    let filter = filter.filter(|filter| !filter.is_empty_object());
    let Some(Value::Object(filter)) = filter.and_then(Jsonb::value) else { return Ok(None) };
    let (filter, demands) = demanded(filter);
    if !demands.is_empty() {
        let wanted = demands.iter().map(|demand| (demand.key.clone(), None)).collect();
        let Some(held) = held(&[], &wanted)?.filter(|held| !held.is_empty()) else { return Ok(None) };
        if let Some(found) = demands.iter().find_map(|demand| unmet(demand, &held)) {
            return Ok(Some(found));
        }
    }
    let mut open: Vec<(Vec<&str>, &Map<String, Value>)> = vec![(Vec::new(), &filter)];
    let mut looked = 0;
    while let Some((path, object)) = open.pop() {
        let names: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
        let Some(held) = held(&names, &wanted(object))? else { return Ok(None) };
        // An empty base.
        if path.is_empty() && held.is_empty() {
            return Ok(None);
        }
        if let Some(found) = remark(&path, object, &held) {
            return Ok(Some(found));
        }
        looked += 1;
        let inner = object.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_object()?)));
        let inner = inner.map(|(key, object)| ([&path[..], &[key]].concat(), object));
        open.extend(inner.take(MAX_OBJECTS.saturating_sub(looked + open.len())));
    }
    Ok(None)
}

/// Notifies of it. `of` names the bases, `what` what the filter is on.
pub fn tell(remark: Remark, what: &str, of: &str) {
    let error = match remark {
        Remark::Operator(key) => {
            Error::remark(format!("filter key \"{key}\" is compared with metadata, not an operator"))
                .hint("Operators of filters begin with \"$\": {\"year\": {\"$gte\": 2024}}.")
        }
        Remark::NoKey { key, hint } => {
            let error = Error::remark(format!("no {what} of {of} has metadata key \"{key}\""));
            match hint {
                Some(hint) => error.hint(hint),
                None => error,
            }
        }
        Remark::NoType { key, given, hint } => {
            Error::remark(format!("no {what} of {of} has {given} as metadata key \"{key}\"")).hint(hint)
        }
        Remark::NoText { key, given, meant } => {
            Error::remark(format!("no {what} of {of} has \"{given}\" as metadata key \"{key}\""))
                .hint(format!("Did you mean \"{meant}\"?"))
        }
    };
    error.notify_once();
}

/// The keys that chunks of the bases have at `path`, with the values of those that are wanted. None if that is not known.
pub fn held(bases: &[KnowledgeBase], path: &[String], wanted: &Wanted) -> Result<Option<Held>> {
    // The owner may have altered the column.
    if bases.iter().any(|base| !base.has_own_columns(c"chunk", &[(c"metadata", pg_sys::JSONBOID)])) {
        return Ok(None);
    }
    held_by(bases, path, wanted, Access::Read, |base, args| {
        let schema = base.quoted_schema();
        let rows = spi::render(include_str!("keys_of_chunks.sql"), &[("schema", &schema)]);
        Ok((rows, Filter::of_base(base)?.conditions(&schema, args)?))
    })
}

/// The same of the rows that `rows` reads, with the condition that it gives on them.
fn held_by(
    bases: &[KnowledgeBase],
    path: &[String],
    wanted: &Wanted,
    access: Access,
    rows: impl Fn(&KnowledgeBase, &mut Vec<Arg>) -> Result<(String, String)>,
) -> Result<Option<Held>> {
    let mut held = Held::new();
    for base in bases {
        let mut args = vec![
            Arg::new(test_limit("max_read", MAX_READ)),
            Arg::new(path.to_vec()),
            Arg::new(MAX_KEYS),
            Arg::new(wanted.keys().cloned().collect::<Vec<String>>()),
            Arg::new(wanted.values().cloned().collect::<Vec<Option<String>>>()),
        ];
        let (rows, conditions) = rows(base, &mut args)?;
        let values = [("rows", &*rows), ("conditions", &*conditions)];
        let sql = spi::render(include_str!("filter_keys.sql"), &values);
        let found = base.read(|| {
            spi::connect(|c| {
                c.query(&sql, access, Planning::Auto, &args, |row| {
                    Ok((
                        row.require::<bool>(1)?,
                        row.get::<String>(2)?,
                        row.get::<String>(3)?,
                        row.get::<Vec<String>>(4)?,
                    ))
                })
            })
        })?;
        for (is_more, key, kind, alike) in found {
            if is_more {
                return Ok(None);
            }
            if let Some((key, kind)) = key.zip(kind) {
                let alike = alike.into_iter().flatten().collect();
                held.entry(key).or_default().extend(Values { types: [kind].into(), alike });
            }
        }
    }
    Ok(Some(held))
}
