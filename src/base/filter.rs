//! Filters by metadata.

use crate::error::Result;
use crate::filter::Filter;
use crate::postgres::jsonb::Jsonb;

/// 22023 for a filter that is no object, or has operators that cannot be used.
pub fn check_filter(filter: &Jsonb) -> Result<()> {
    Filter::read(filter).map(drop)
}
