//! Models that a user probably meant.

use kb_rag_core::model_name::{ModelName, Origin};
use kb_rag_core::near::near;
use kb_rag_core::provider::Kind;

use super::local;
use crate::error::Result;
use crate::provider;

/// The hint for a model that does not exist: a name that is near, or `otherwise`.
pub fn hint(name: &ModelName, otherwise: String) -> String {
    match meant(name) {
        Ok(Some(model)) => format!("Did you mean \"{model}\"?"),
        _ => otherwise,
    }
}

/// The installed or known model whose name is nearest, whatever its provider; otherwise the same model of the provider
/// whose name is nearest.
fn meant(name: &ModelName) -> Result<Option<String>> {
    let mut providers: Vec<_> = provider::list()?.into_iter().map(|listed| listed.provider).collect();
    // A service goes before others with the same protocol.
    providers.sort_by_key(|provider| provider.name != provider.kind.name());
    let mut known = local::installed();
    known.extend(local::PACKAGED.map(str::to_string));
    for provider in &providers {
        let models = provider.kind.embedding().into_iter().flat_map(Kind::models);
        known.extend(models.map(|model| format!("{}/{model}", provider.name)));
    }
    if let Some(nearest) =
        near(without_provider(name.as_str()), known.iter().map(|known| without_provider(known))).first()
    {
        return Ok(known.iter().find(|known| without_provider(known) == *nearest).cloned());
    }
    if name.origin() == Origin::Nothing {
        return Ok(None);
    }
    let nearest = near(name.provider(), providers.iter().map(|provider| provider.name.as_str()));
    Ok(nearest.first().map(|provider| format!("{provider}/{}", name.model())))
}

fn without_provider(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
