//! kb_warm_query: embeds a query before it is searched for.

use super::request::{check_query, embedded_queries};
use crate::base;
use crate::error::Result;
use crate::model;
use crate::postgres::spi::Access;

/// Embeds a query with the model of a base and keeps the vector for searches of every session. The caller must be able to
/// read the base and use its provider.
pub fn warm_query(query: &str, knowledge_base: &str) -> Result<()> {
    check_query(query, true)?;
    let base = base::by_name(knowledge_base, Access::Read)?;
    base.read(|| Ok(()))?;
    let space = &base.settings.space;
    let model = model::resolve(&space.model)?;
    model::warm(&model, space.dimensions, &embedded_queries(query), (base.id, &base.name))
}
