//! Models that a user probably meant.

use kb_rag_core::near::near;

use super::local;
use crate::error::Result;
use crate::provider;

/// The hint for a model that does not exist: a name that is near, or `otherwise`.
pub fn hint(name: &str, otherwise: String) -> String {
    match meant(name) {
        Ok(Some(model)) => format!("Did you mean \"{model}\"?"),
        _ => otherwise,
    }
}

/// The installed or known model whose name is nearest, whatever its provider; otherwise the same model of the provider
/// whose name is nearest.
fn meant(name: &str) -> Result<Option<String>> {
    let mut providers: Vec<_> = provider::list()?.into_iter().map(|listed| listed.provider).collect();
    // A service goes before others with the same protocol.
    providers.sort_by_key(|provider| provider.name != provider.kind.name());
    let mut known = local::installed();
    for provider in &providers {
        known.extend(provider.kind.models().map(|model| format!("{}/{model}", provider.name)));
    }
    if let Some(nearest) =
        near(without_provider(name), known.iter().map(|known| without_provider(known))).first()
    {
        return Ok(known.iter().find(|known| without_provider(known) == *nearest).cloned());
    }
    Ok(name.split_once('/').and_then(|(provider, model)| {
        let nearest = near(provider, providers.iter().map(|provider| provider.name.as_str()));
        nearest.first().map(|provider| format!("{provider}/{model}"))
    }))
}

fn without_provider(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
