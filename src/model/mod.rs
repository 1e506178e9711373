//! Models: resolves the names of embedding models to something that turns texts into vectors, and those of chat models.

mod certificates;
mod chat;
mod local;
mod near;
mod query_cache;
mod refused;
mod remote;
mod service;
mod tokenizer;
mod warm;

use kb_rag_core::fake;
use kb_rag_core::model_name::{ModelName, Origin};
use kb_rag_core::plural::counted;
use kb_rag_core::provider::{Input, Limits};
use kb_rag_core::relevance::Scale;
use kb_rag_core::search::Thresholds;
pub use kb_rag_encoder::InputType;
use pgrx::pg_sys;

pub use certificates::certificates;
pub use chat::{ChatModel, chat_provider, open_chat};
pub use near::{is_name, remark_of_unknown};
pub use query_cache::holding;
pub use remote::RemoteModel;
pub use service::{Failure, Service};
pub use tokenizer::ModelTokenizer;
pub use warm::warm;

use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::role;
use crate::postgres::spi::Access;
use crate::provider::Provider;

/// The default model of a knowledge base.
pub const DEFAULT: &str = "local/all-minilm-l6-v2";

/// The default input type of kb_embed: one text is usually a question, compared with stored vectors.
pub const DEFAULT_INPUT_TYPE: InputType = InputType::Query;

/// The default input type of kb_embed_batch: many texts at once are usually documents to be stored.
pub const DEFAULT_BATCH_INPUT_TYPE: InputType = InputType::Document;

/// The most dimensions that pgvector can store.
pub const MAX_DIMENSIONS: i32 = 16_000;

/// The default dimensions of the fake model.
const FAKE_DIMENSIONS: i32 = 384;

/// The most texts and bytes that are embedded in this process between two writes.
const HERE_ITEMS: usize = 64;
const HERE_BYTES: usize = 4 << 20;

/// A model that can be used.
pub enum Model {
    /// A directory of weights, computed in this process.
    Local(local::LocalModel),
    /// Deterministic vectors made from hashes of words: for tests.
    Fake(ModelName),
    /// A model of a provider, called over the network.
    Remote(Box<RemoteModel>),
    /// A model of a provider that is not looked up: for work on texts, which must not depend on keys.
    Elsewhere(ModelName),
}

/// The model for counting tokens of texts. A remote model is not looked up.
pub fn tokenizer_of(name: &ModelName) -> Result<Model> {
    if name.is_remote() { Ok(Model::Elsewhere(name.clone())) } else { resolve(name) }
}

/// Finds a model for the current role. 42704 if there is none of this name, 55000 if its files or the key of its
/// provider are missing, 42501 if the role may not use the provider.
pub fn resolve(name: &ModelName) -> Result<Model> {
    resolve_as(name, role::current_role())
}

/// The similarities of texts about a question, where the files of a local model say them.
pub fn thresholds(name: &ModelName) -> Option<Thresholds> {
    let Origin::Local { directory } = name.origin() else { return None };
    // A model that cannot be opened gives no similarities.
    let model = local::open(name, directory).ok()?;
    let found = model.encoder.similarities();
    let thresholds = Thresholds {
        gate: found.answer_threshold,
        filter: found.match_threshold,
        // Where that was not measured, words alone are not enough.
        exact: found.exact_threshold.or(found.match_threshold).or(found.answer_threshold),
    };
    (thresholds != Thresholds::default()).then_some(thresholds)
}

/// How the similarities of a model are shown: that of models that were not measured, unless its files say it.
pub fn scale(name: &ModelName) -> Scale {
    let Origin::Local { directory } = name.origin() else { return Scale::default() };
    let points = local::open(name, directory).ok().and_then(|model| model.encoder.similarities().relevance);
    points.and_then(Scale::new).unwrap_or_default()
}

/// The default model, for the current role.
pub fn default_model() -> Result<Model> {
    resolve(&ModelName::new(DEFAULT))
}

/// The model of this name at a provider, for the current role. 42704 and 42501 as for [`resolve`].
pub fn at_provider(provider: &str, model: &str) -> Result<RemoteModel> {
    remote::open(&ModelName::new(format!("{provider}/{model}")), role::current_role())
}

/// Finds a model for a role: the model of a knowledge base for its owner.
pub fn resolve_as(name: &ModelName, role: pg_sys::Oid) -> Result<Model> {
    match name.origin() {
        Origin::Local { directory } => Ok(Model::Local(local::open(name, directory)?)),
        Origin::Fake => Ok(Model::Fake(name.clone())),
        Origin::Remote { .. } => Ok(Model::Remote(Box::new(remote::open(name, role)?))),
        Origin::Nothing => Err(unknown(name)),
    }
}

/// The provider of a remote model, for the current role; its key is not needed. None for a local model.
pub fn provider_of(name: &ModelName) -> Result<Option<Provider>> {
    name.is_remote().then(|| remote::find(name, role::current_role())).transpose()
}

/// 42501 unless `role` may use the provider of a model, 42704 unless the provider exists.
pub fn require_grant(name: &ModelName, role: pg_sys::Oid) -> Result<()> {
    if name.is_remote() { remote::find(name, role).map(drop) } else { Ok(()) }
}

/// The owner of a model's provider if the current role does not trust it: neither a superuser, nor the current role or
/// a role that it is a member of. A superuser has the privileges of all roles, but trusts only superusers and itself.
pub fn untrusted_owner(name: &ModelName) -> Result<Option<String>> {
    if !name.is_remote() {
        return Ok(None);
    }
    let provider = Provider::find(name.provider(), Access::Read)?;
    Ok(provider
        .filter(|provider| !provider.is_trusted_by(role::current_role()))
        .map(|provider| provider.owner))
}

fn unknown(name: &ModelName) -> Error {
    let otherwise = format!(
        "A model name is provider/model, for example {DEFAULT}; SELECT name FROM kb_provider_list() lists the providers in addition to local."
    );
    Error::not_found(format!("model \"{name}\" does not exist")).hint(near::hint(name, otherwise))
}

impl Model {
    /// The full name, `provider/model`.
    pub fn name(&self) -> &ModelName {
        match self {
            Model::Local(local) => &local.name,
            Model::Fake(name) | Model::Elsewhere(name) => name,
            Model::Remote(remote) => remote.name(),
        }
    }

    /// Which of its weights are used, `int8` or `f32`. None if it has only one kind.
    pub fn variant(&self) -> Option<&'static str> {
        match self {
            Model::Local(local) => Some(local.encoder.variant()),
            Model::Fake(_) | Model::Remote(_) | Model::Elsewhere(_) => None,
        }
    }

    /// The processor's instruction set that it uses. None if it does not compute in this process.
    pub fn kernel(&self) -> Option<&'static str> {
        match self {
            Model::Local(local) => Some(local.encoder.kernel()),
            Model::Fake(_) | Model::Remote(_) | Model::Elsewhere(_) => None,
        }
    }

    /// The dimensions of its vectors when `requested` are requested. 22023 if it does not support them.
    pub fn dimensions(&self, requested: Option<i32>) -> Result<i32> {
        let (natural, max) = match self {
            Model::Local(local) => (local.encoder.dimensions() as i32, local.encoder.dimensions() as i32),
            Model::Fake(_) | Model::Elsewhere(_) => (FAKE_DIMENSIONS, MAX_DIMENSIONS),
            Model::Remote(remote) => return remote.dimensions(requested),
        };
        match requested {
            None => Ok(natural),
            Some(n) if (1..=max).contains(&n) => Ok(n),
            Some(n) => Err(Error::invalid(format!(
                "model \"{}\" cannot return {}",
                self.name(),
                counted(n, "dimension")
            ))
            .hint(format!("Use 1 to {max}."))),
        }
    }

    /// The same model for vectors that are returned to the caller: they are always cut to fewer dimensions on request,
    /// even if the model is unknown.
    pub fn allowing_truncation(mut self) -> Model {
        if let Model::Remote(remote) = &mut self {
            remote.allow_truncation();
        }
        self
    }

    /// The vector of one text: `dimensions` numbers of length 1. Checks for interrupts while it computes.
    pub fn embed(&self, text: &str, dimensions: i32, input: InputType) -> Result<Vec<f32>> {
        match self {
            Model::Local(local) => local.embed(text, dimensions as usize, input),
            Model::Fake(_) => Ok(fake::embedding(text, dimensions as usize, check_for_interrupts)),
            Model::Elsewhere(name) => Err(Error::internal(format!("model \"{name}\" was not looked up"))),
            Model::Remote(remote) if input == InputType::Query => remote.embed_query(text, dimensions),
            Model::Remote(remote) => {
                let vectors = remote.embed_batch(&[text.to_string()], dimensions, protocol_input(input))?;
                vectors.into_iter().next().ok_or_else(|| Error::internal("an answer without a vector"))
            }
        }
    }

    /// The vectors of several texts, in their order.
    pub fn embed_batch(&self, texts: &[String], dimensions: i32, input: InputType) -> Result<Vec<Vec<f32>>> {
        match self {
            Model::Remote(remote) => remote.embed_batch(texts, dimensions, protocol_input(input)),
            _ => texts.iter().map(|text| self.embed(text, dimensions, input)).collect(),
        }
    }

    /// The limits of one call.
    pub fn limits(&self) -> Limits {
        match self {
            Model::Remote(remote) => remote.limits(),
            _ => Limits { items: HERE_ITEMS, tokens_per_item: None, tokens: None, bytes: HERE_BYTES },
        }
    }

    /// The tokenizer that counts its tokens. None if it is not known.
    pub fn tokenizer(&self) -> Option<ModelTokenizer> {
        match self {
            Model::Local(local) => Some(ModelTokenizer::new(local.encoder.clone())),
            Model::Fake(_) | Model::Remote(_) | Model::Elsewhere(_) => None,
        }
    }
}

fn protocol_input(input: InputType) -> Input {
    match input {
        InputType::Query => Input::Query,
        InputType::Document => Input::Document,
    }
}

impl Choice for InputType {
    const WHAT: &'static str = "input type";
    const ALL: &'static [InputType] = &[InputType::Query, InputType::Document];

    fn name(self) -> &'static str {
        match self {
            InputType::Query => "query",
            InputType::Document => "document",
        }
    }
}
