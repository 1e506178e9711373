//! What fetching is counted as in kb_rag.usage.

use pgrx::Uuid;

use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::spi::Access;
use crate::provider::Provider;
use crate::provider::usage::{Usage, record};

/// Counts calls of the provider that fetches, and the pages they gave, at its price of a million pages.
pub fn count(base: &KnowledgeBase, provider: &str, calls: i64, pages: i64, errors: i64) -> Result<()> {
    let price = Provider::find(provider, Access::Write)?.and_then(|provider| provider.price_per_million);
    record(&Usage {
        knowledge_base: Some((base.id, &base.name)),
        model: provider,
        calls,
        items: pages,
        errors,
        cost: price.map(|price| price * pages as f64 / 1e6),
        ..Usage::default()
    })
}

/// The same for calls alone, of a base that may be gone.
pub fn count_calls(base: Uuid, provider: &str, calls: i64) -> Result<()> {
    match base::by_id(base)?.filter(|_| calls > 0) {
        Some(base) => count(&base, provider, calls, 0, 0),
        None => Ok(()),
    }
}
