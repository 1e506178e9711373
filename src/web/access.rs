//! Who may have pages fetched: checked when a source is added, and again at each fetch.

use pgrx::pg_sys;

use super::document;
use super::source::Source;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::ingest;
use crate::postgres::spi::Access;
use crate::provider::{Provider, ProviderKind, Scope};

/// The provider that a source is fetched through, for the role. 42501 unless the role was granted it, for the agent of the source and its
/// auto_sync, and may write to the base.
pub fn provider_for(source: &Source, base: &KnowledgeBase, role: pg_sys::Oid) -> Result<Provider> {
    let provider = find(source.provider(), source.is_basic())?;
    provider.require_fetches(role, Scope { agent: source.agent, auto_sync: source.auto_sync })?;
    ingest::require_writer(base, role)?;
    Ok(provider)
}

/// Whether the documents of a source are the caller's to write, where row security decides that. Without it, they are those of
/// all who may write to the base.
pub fn is_own(source: &Source, base: &KnowledgeBase) -> Result<bool> {
    match ingest::try_write(base, || document::try_insert(base, source)) {
        Ok(()) => Ok(true),
        Err(error) if error.is_denied() => Ok(false),
        Err(error) => Err(error),
    }
}

/// The provider that fetches: `web`, `github`, or one of kind firecrawl by its name.
fn find(name: &str, is_basic: bool) -> Result<Provider> {
    let fetches = |kind: ProviderKind| match name {
        "web" => kind == ProviderKind::Web,
        "github" => kind == ProviderKind::GitHub,
        _ => kind == ProviderKind::Firecrawl,
    };
    let found = Provider::find(name, Access::Write)?;
    if let Some(provider) = found.filter(|provider| is_basic || provider.kind == ProviderKind::Firecrawl) {
        return match fetches(provider.kind) {
            true => Ok(provider),
            false => Err(Error::not_ready(format!(
                "provider \"{name}\" is of kind {}, which does not fetch pages",
                provider.kind.name()
            ))
            .hint("Drop it with kb_provider_drop; the built-in one is used then.")),
        };
    }
    Err(Error::invalid(format!("unrecognized scrape_method \"{name}\"")).hint(
        "Valid values are basic and the names of providers of kind firecrawl; kb_provider_set sets one up.",
    ))
}
