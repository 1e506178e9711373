//! Filters by metadata.

use kb_rag_core::filter;

use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;

/// 22023 for a filter that is no object, or has what looks like an operator: nothing would be found.
pub fn check_filter(filter: &Jsonb) -> Result<()> {
    if !filter.is_object() {
        return Err(
            Error::invalid("filter must be a JSON object").hint("For example '{\"team\": \"support\"}'.")
        );
    }
    if filter.is_empty_object() {
        return Ok(());
    }
    match filter::operator_key(&filter.to_text()) {
        None => Ok(()),
        Some(key) => Err(Error::invalid(format!("filter key \"{key}\" begins with \"$\""))
            .hint("Operators are not supported: filter compares metadata by containment (jsonb @>).")),
    }
}
