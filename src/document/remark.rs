//! Notices about a filter or a source type under which no document was found.

use std::cell::RefCell;
use std::collections::HashSet;

use serde_json::Value;

use super::rows;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::filter::Filter;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::Access;
use crate::search;

/// So many filters are remembered.
const MAX_LOOKED: usize = 1_000;

thread_local! {
    /// Schemas and the [`shape`] of filters that this session has looked at.
    static LOOKED: RefCell<HashSet<(String, String)>> = RefCell::new(HashSet::new());
}

/// Notifies of what no document of these bases has, of a call that found none. A program may make such calls by the thousand, each with
/// other values: filters with the same keys and types are looked at once a session.
pub fn of_nothing(
    bases: &[KnowledgeBase],
    given: Option<&Jsonb>,
    source_type: Option<&str>,
    access: Access,
) -> Result<()> {
    search::remark_of_source_type(source_type, bases)?;
    let filter = given.map_or(Ok(None), Filter::read)?;
    let Some(value) = given.filter(|_| filter.is_some()).and_then(Jsonb::value) else { return Ok(()) };
    if !is_new(bases, &value) {
        return Ok(());
    }
    search::remark_of_filter(given, bases, access, |base| Ok(rows::metadata(base, filter.as_ref())))
}

/// Whether the session has not looked at such a filter before; now it has.
fn is_new(bases: &[KnowledgeBase], filter: &Value) -> bool {
    let schemas: Vec<String> = bases.iter().map(KnowledgeBase::quoted_schema).collect();
    LOOKED.with_borrow_mut(|looked| {
        if looked.len() >= MAX_LOOKED {
            looked.clear();
        }
        looked.insert((schemas.join(","), shape(filter).to_string()))
    })
}

/// The keys of a filter with the types of their values, as values of these types.
fn shape(filter: &Value) -> Value {
    match filter {
        Value::Object(object) => {
            Value::Object(object.iter().map(|(key, value)| (key.clone(), shape(value))).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(shape).collect()),
        Value::String(_) => Value::String(String::new()),
        Value::Number(_) => Value::from(0),
        Value::Bool(_) => Value::Bool(false),
        Value::Null => Value::Null,
    }
}
