//! The differences between kinds of providers.

use super::{Batch, Call, Facts, Fault, Limits, Reading, Refusal};
use super::{cohere, facts, google, mistral, ollama, openai, refusal, tei, voyage};

/// A protocol that providers speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// OpenAI's, which LiteLLM, vLLM, llama.cpp and many others speak too.
    OpenAi,
    /// Ollama's own.
    Ollama,
    /// Google's Gemini API.
    Google,
    /// Cohere's, version 2.
    Cohere,
    /// Voyage AI's.
    Voyage,
    /// Mistral's.
    Mistral,
    /// Hugging Face's Text Embeddings Inference.
    Tei,
}

/// Bytes of text in a request, where no tighter limit is known: a request stays below 16 MiB however it is
/// escaped.
const BYTES: usize = 2 << 20;

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::OpenAi, Self::Ollama, Self::Google, Self::Cohere, Self::Voyage, Self::Mistral, Self::Tei];

    /// The kind with this [`Kind::name`].
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Google => "google",
            Self::Cohere => "cohere",
            Self::Voyage => "voyage",
            Self::Mistral => "mistral",
            Self::Tei => "tei",
        }
    }

    /// The provider's own address. It includes the version of the protocol, as every client's base URL does.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://localhost:11434",
            Self::Google => "https://generativelanguage.googleapis.com/v1beta",
            Self::Cohere => "https://api.cohere.com/v2",
            Self::Voyage => "https://api.voyageai.com/v1",
            Self::Mistral => "https://api.mistral.ai/v1",
            Self::Tei => "http://localhost:8080",
        }
    }

    /// The header that carries the key.
    pub fn auth_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Google => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }
    }

    /// The address of a call. A base URL with only a host gets the version of the protocol's default URL.
    pub fn url(self, base_url: &str, call: &Call) -> String {
        let base = base_url.trim_end_matches('/');
        let path_of = |url: &'static str| url.splitn(4, '/').nth(3);
        match path_of(self.default_base_url()) {
            Some(version) if base.split('/').count() == 3 => format!("{base}/{version}{}", call.path),
            _ => format!("{base}{}", call.path),
        }
    }

    /// The limits of a request for this model.
    pub fn limits(self, model: &str) -> Limits {
        let (items, tokens, bytes) = match self {
            Self::OpenAi => (2048, Some(300_000), BYTES),
            // Ollama has no limit of its own; a server without a GPU needs seconds for this many.
            Self::Ollama => (64, None, BYTES),
            Self::Google => (100, None, BYTES),
            Self::Cohere => (96, None, BYTES),
            Self::Voyage => (1000, Some(facts::voyage_tokens(model)), BYTES),
            Self::Mistral => (128, Some(16_384), BYTES),
            // The defaults of --max-client-batch-size and --payload-limit.
            Self::Tei => (32, None, 1_000_000),
        };
        Limits { items, tokens_per_item: self.facts(model).tokens_per_item, tokens, bytes }
    }

    /// What is known about a model by its name.
    pub fn facts(self, model: &str) -> Facts {
        facts::for_model(self, model)
    }

    /// Whether anything is known about a model of this name.
    pub fn knows(self, model: &str) -> bool {
        facts::is_known(model)
    }

    /// Known models of the service itself.
    pub fn models(self) -> impl Iterator<Item = &'static str> {
        facts::models(self)
    }

    /// The request for a batch.
    pub fn request(self, batch: &Batch) -> Call {
        match self {
            Self::Ollama => ollama::request(batch),
            Self::Google => google::request(batch),
            Self::OpenAi => openai::request(batch),
            Self::Cohere => cohere::request(batch),
            Self::Voyage => voyage::request(batch),
            Self::Mistral => mistral::request(batch),
            Self::Tei => tei::request(batch),
        }
    }

    /// Other calls to try after this status, one per text: Ollama before 0.3 only has its older route. If the
    /// first of them is refused too, the model is missing, not the route.
    pub fn fallback(self, status: u16, batch: &Batch) -> Option<Vec<Call>> {
        match (self, status) {
            (Self::Ollama, 404 | 405 | 501) => Some(ollama::legacy_requests(batch)),
            _ => None,
        }
    }

    /// Reads the body of an answer with status 200.
    pub fn read_answer(self, body: &[u8], batch: &Batch) -> Result<Reading, Fault> {
        match self {
            Self::Ollama => ollama::read(body, batch),
            Self::Google => google::read(body, batch),
            Self::OpenAi => openai::read(body, batch),
            Self::Cohere => cohere::read(body, batch),
            Self::Voyage => voyage::read(body, batch),
            Self::Mistral => mistral::read(body, batch),
            Self::Tei => tei::read(body, batch),
        }
    }

    /// Reads the bodies of the answers to [`Kind::fallback`], in the same order.
    pub fn read_fallback(self, bodies: &[Vec<u8>], batch: &Batch) -> Result<Reading, Fault> {
        ollama::read_legacy(bodies, batch)
    }

    /// Reads an answer with a status other than 200. `now` is in seconds since 1970; names of headers are in
    /// lower case.
    pub fn read_refusal(self, status: u16, headers: &[(String, String)], body: &[u8], now: f64) -> Refusal {
        refusal::read(self, status, headers, body, now)
    }
}
