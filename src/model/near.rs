//! Models that a user probably meant.

use kb_rag_core::model_name::{ModelName, Origin};
use kb_rag_core::near::near;
use kb_rag_core::provider::Kind;

use super::local;
use crate::error::{Error, Result};
use crate::postgres::spi::Access;
use crate::provider::{self, Provider};

/// The hint for a model that does not exist: a name that is near, or `otherwise`.
pub fn hint(name: &ModelName, otherwise: String) -> String {
    match meant(name) {
        Ok(Some(model)) if model != name.as_str() => format!("Did you mean \"{model}\"?"),
        _ => otherwise,
    }
}

/// Notifies of a model that is not known at a provider. The provider may have it.
pub fn remark_of_unknown(name: &ModelName, provider: &Provider, kind: Kind) {
    if !kind.knows(name.model()) {
        let otherwise = format!(
            "Provider \"{}\" may have it: kb_configure asks. The estimate assumes the usual limits of the provider.",
            provider.name
        );
        Error::remark(format!("model \"{name}\" is not known")).hint(hint(name, otherwise)).notify_once();
    }
}

/// Whether a text is the name of a model: any name at a provider, or one that is installed or known without its provider.
pub fn is_name(text: &str) -> bool {
    if text.is_empty() || text.contains(char::is_whitespace) {
        return false;
    }
    let name = ModelName::new(text);
    let is_known = |known: &String| without_provider(known) == text;
    match name.origin() {
        Origin::Fake | Origin::Local { .. } => true,
        Origin::Remote { .. } => {
            Provider::find(name.provider(), Access::Read).is_ok_and(|found| found.is_some())
        }
        Origin::Nothing => known().is_ok_and(|known| known.iter().any(is_known)),
    }
}

/// The installed or known model whose name is nearest, whatever its provider; otherwise the same model of the provider
/// whose name is nearest.
fn meant(name: &ModelName) -> Result<Option<String>> {
    let providers = providers()?;
    let known = known_of(&providers);
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

fn providers() -> Result<Vec<Provider>> {
    let mut providers: Vec<_> = provider::list()?.into_iter().map(|listed| listed.provider).collect();
    // A service goes before others with the same protocol.
    providers.sort_by_key(|provider| provider.name != provider.kind.name());
    Ok(providers)
}

fn known() -> Result<Vec<String>> {
    Ok(known_of(&providers()?))
}

/// The models that are installed, and those that are known of the providers.
fn known_of(providers: &[Provider]) -> Vec<String> {
    let mut known = local::installed();
    known.extend(local::PACKAGED.map(str::to_string));
    for provider in providers {
        let models = provider.kind.embedding().into_iter().flat_map(Kind::models);
        known.extend(models.map(|model| format!("{}/{model}", provider.name)));
    }
    known
}

fn without_provider(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
