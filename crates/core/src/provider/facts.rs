//! What is known about models by their names.

use super::{Batch, Input, Kind};

/// What is known about a model. The default is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// The number of dimensions it gives by default.
    pub dimensions: Option<usize>,
    /// The numbers of dimensions that can be requested.
    pub allowed: Dimensions,
    /// Text to put before a query.
    pub query_prefix: &'static str,
    /// Text to put before a document.
    pub document_prefix: &'static str,
    /// US dollars per million tokens at the list price of the model's own provider.
    pub price_per_million: Option<f64>,
    /// The most tokens in a text.
    pub tokens_per_item: Option<usize>,
    /// Why it should not be used: a clause for a message's DETAIL.
    pub notice: Option<&'static str>,
}

/// How many dimensions a model can be asked for. A request for fewer truncates its vectors. This suits models
/// trained for it (Matryoshka); others lose some quality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dimensions {
    /// A number cannot be requested.
    #[default]
    Fixed,
    /// These two and every number between them.
    Between(usize, usize),
    /// One of these, in ascending order.
    OneOf(&'static [usize]),
}

impl Facts {
    /// The most dimensions that it gives, if known.
    pub fn max_dimensions(&self) -> Option<usize> {
        match self.allowed {
            Dimensions::Fixed => self.dimensions,
            Dimensions::Between(_, max) => Some(max),
            Dimensions::OneOf(sizes) => sizes.last().copied(),
        }
    }

    /// The text to put before a text of this kind.
    pub fn prefix(&self, input: Input) -> &'static str {
        match input {
            Input::Query => self.query_prefix,
            Input::Document => self.document_prefix,
        }
    }
}

/// The number of dimensions to request: the smallest available number that is enough. `None` if it is the
/// default.
pub fn asked(kind: Kind, batch: &Batch) -> Option<usize> {
    let facts = for_model(kind, batch.model);
    let enough = match facts.allowed {
        _ if batch.dimensions == 0 => None,
        Dimensions::Fixed => None,
        Dimensions::Between(min, max) => Some(batch.dimensions.max(min)).filter(|&asked| asked <= max),
        Dimensions::OneOf(sizes) => sizes.iter().copied().find(|&size| size >= batch.dimensions),
    };
    enough.filter(|&asked| Some(asked) != facts.dimensions)
}

/// The texts of a batch with the model's prefixes.
pub fn prefixed(kind: Kind, batch: &Batch) -> Vec<String> {
    let prefix = for_model(kind, batch.model).prefix(batch.input);
    batch.texts.iter().map(|text| format!("{prefix}{text}")).collect()
}

/// What is known about a model at a provider of this kind.
///
/// Dimensions belong to the model wherever it runs. Price and requestable dimensions apply only at the
/// model's own provider, and prefixes only to servers that embed a text as they receive it.
pub fn for_model(kind: Kind, model: &str) -> Facts {
    let Some((entry, exact)) = find(model) else { return Facts::default() };
    let mut facts = entry.facts;
    if entry.home != Some(kind) {
        facts.price_per_million = None;
        facts.allowed = Dimensions::Fixed;
    }
    if entry.home != Some(kind) && !matches!(kind, Kind::OpenAi | Kind::Ollama | Kind::Tei) {
        (facts.query_prefix, facts.document_prefix) = ("", "");
    }
    if !exact {
        facts.dimensions = None;
    }
    facts
}

/// Whether a model is known, wherever it runs.
pub fn is_known(model: &str) -> bool {
    find(model).is_some()
}

/// The models of the service itself, without those that should not be used.
pub fn models(kind: Kind) -> impl Iterator<Item = &'static str> {
    let recommended = move |entry: &&Entry| entry.home == Some(kind) && entry.facts.notice.is_none();
    MODELS.iter().filter(recommended).map(|entry| entry.name)
}

/// The entry for a name such as `intfloat/e5-small-v2`, `nomic-embed-text:v1.5` or
/// `models/text-embedding-004`, and whether it is for that size of the model.
fn find(model: &str) -> Option<(&'static Entry, bool)> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let entry = |name: &str| MODELS.iter().find(|entry| entry.name == name);
    let Some((family, tag)) = name.split_once(':') else { return entry(&name).map(|entry| (entry, true)) };
    // Ollama's tags: the size, then possibly a quantization, such as `22m-l6-v2-fp16`.
    let size = tag.split('-').next().unwrap_or(tag);
    let sizes =
        || MODELS.iter().filter_map(|entry| entry.name.split_once(':')).any(|(name, _)| name == family);
    match entry(&format!("{family}:{size}")) {
        Some(entry) => Some((entry, true)),
        None => entry(family).map(|entry| (entry, tag == "latest" || !sizes())),
    }
}

/// The most tokens in a request to Voyage.
pub fn voyage_tokens(model: &str) -> usize {
    let is = |word: &str| model.contains(word);
    match () {
        () if is("lite") => 1_000_000,
        () if is("large") || is("code") || is("finance") || is("law") => 120_000,
        () => 320_000,
    }
}

struct Entry {
    name: &'static str,
    /// The provider whose own model it is; `None` for models that anyone may run.
    home: Option<Kind>,
    facts: Facts,
}

impl Entry {
    const fn new(name: &'static str, home: Option<Kind>, dimensions: usize, tokens: usize) -> Self {
        let facts = Facts {
            dimensions: Some(dimensions),
            tokens_per_item: Some(tokens),
            allowed: Dimensions::Fixed,
            query_prefix: "",
            document_prefix: "",
            price_per_million: None,
            notice: None,
        };
        Self { name, home, facts }
    }

    const fn asked(mut self, allowed: Dimensions) -> Self {
        self.facts.allowed = allowed;
        self
    }

    const fn price(mut self, dollars: f64) -> Self {
        self.facts.price_per_million = Some(dollars);
        self
    }

    const fn prefixes(mut self, [query, document]: [&'static str; 2]) -> Self {
        self.facts.query_prefix = query;
        self.facts.document_prefix = document;
        self
    }

    const fn notice(mut self, notice: &'static str) -> Self {
        self.facts.notice = Some(notice);
        self
    }
}

const fn openai(name: &'static str, dimensions: usize) -> Entry {
    Entry::new(name, Some(Kind::OpenAi), dimensions, 8192)
}

const fn google(name: &'static str, dimensions: usize) -> Entry {
    Entry::new(name, Some(Kind::Google), dimensions, 2048)
}

const fn cohere(name: &'static str, dimensions: usize, tokens: usize) -> Entry {
    Entry::new(name, Some(Kind::Cohere), dimensions, tokens)
}

const fn voyage(name: &'static str, dimensions: usize) -> Entry {
    Entry::new(name, Some(Kind::Voyage), dimensions, 32_000)
}

const fn mistral(name: &'static str, dimensions: usize) -> Entry {
    Entry::new(name, Some(Kind::Mistral), dimensions, 8192)
}

const fn open(name: &'static str, dimensions: usize, tokens: usize) -> Entry {
    Entry::new(name, None, dimensions, tokens)
}

const E5: [&str; 2] = ["query: ", "passage: "];
const E5_INSTRUCT: [&str; 2] =
    ["Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""];
const NOMIC: [&str; 2] = ["search_query: ", "search_document: "];
const REPRESENT: [&str; 2] = ["Represent this sentence for searching relevant passages: ", ""];
const ARCTIC_2: [&str; 2] = ["query: ", ""];
const GEMMA: [&str; 2] = ["task: search result | query: ", "title: none | text: "];
const VOYAGE: Dimensions = Dimensions::OneOf(&[256, 512, 1024, 2048]);

/// A family of several sizes has an entry by tag for each size, besides the one for its bare name.
static MODELS: &[Entry] = &[
    openai("text-embedding-3-small", 1536).asked(Dimensions::Between(1, 1536)).price(0.02),
    openai("text-embedding-3-large", 3072).asked(Dimensions::Between(1, 3072)).price(0.13),
    openai("text-embedding-ada-002", 1536).price(0.10),
    google("gemini-embedding-001", 3072).asked(Dimensions::Between(128, 3072)).price(0.15),
    Entry::new("gemini-embedding-2", Some(Kind::Google), 3072, 8192)
        .asked(Dimensions::Between(128, 3072))
        .prefixes(GEMMA),
    google("text-embedding-004", 768)
        .asked(Dimensions::Between(1, 768))
        .notice("Google shut this model down on 2026-01-14; gemini-embedding-001 replaces it"),
    cohere("embed-v4.0", 1536, 128_000).asked(Dimensions::OneOf(&[256, 512, 1024, 1536])).price(0.12),
    cohere("embed-english-v3.0", 1024, 512).price(0.10),
    cohere("embed-multilingual-v3.0", 1024, 512).price(0.10),
    cohere("embed-english-light-v3.0", 384, 512).price(0.10),
    cohere("embed-multilingual-light-v3.0", 384, 512).price(0.10),
    voyage("voyage-4", 1024).asked(VOYAGE),
    voyage("voyage-4-lite", 1024).asked(VOYAGE),
    voyage("voyage-4-large", 1024).asked(VOYAGE),
    voyage("voyage-3.5", 1024).asked(VOYAGE).price(0.06),
    voyage("voyage-3.5-lite", 1024).asked(VOYAGE).price(0.02),
    voyage("voyage-3-large", 1024).asked(VOYAGE).price(0.18),
    voyage("voyage-code-3", 1024).asked(VOYAGE).price(0.18),
    voyage("voyage-3", 1024),
    voyage("voyage-3-lite", 512),
    mistral("mistral-embed", 1024).price(0.10),
    mistral("codestral-embed", 1536).asked(Dimensions::Between(1, 3072)).price(0.15),
    mistral("codestral-embed-2505", 1536).asked(Dimensions::Between(1, 3072)).price(0.15),
    open("nomic-embed-text", 768, 2048).prefixes(NOMIC),
    open("nomic-embed-text-v1", 768, 8192).prefixes(NOMIC),
    open("nomic-embed-text-v1.5", 768, 8192).prefixes(NOMIC),
    open("mxbai-embed-large", 1024, 512).prefixes(REPRESENT),
    open("mxbai-embed-large-v1", 1024, 512).prefixes(REPRESENT),
    open("all-minilm", 384, 512),
    open("all-minilm-l6-v2", 384, 256),
    open("all-minilm-l12-v2", 384, 128),
    open("embeddinggemma", 768, 2048).prefixes(GEMMA),
    open("embeddinggemma-300m", 768, 2048).prefixes(GEMMA),
    open("bge-m3", 1024, 8192),
    open("bge-large", 1024, 512).prefixes(REPRESENT),
    open("bge-small-en-v1.5", 384, 512).prefixes(REPRESENT),
    open("bge-base-en-v1.5", 768, 512).prefixes(REPRESENT),
    open("bge-large-en-v1.5", 1024, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed", 1024, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed:22m", 384, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed:33m", 384, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed:110m", 768, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed:137m", 768, 2048).prefixes(REPRESENT),
    open("snowflake-arctic-embed:335m", 1024, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed-xs", 384, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed-s", 384, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed-m", 768, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed-m-v1.5", 768, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed-m-long", 768, 2048).prefixes(REPRESENT),
    open("snowflake-arctic-embed-l", 1024, 512).prefixes(REPRESENT),
    open("snowflake-arctic-embed2", 1024, 8192).prefixes(ARCTIC_2),
    open("snowflake-arctic-embed-m-v2.0", 768, 8192).prefixes(ARCTIC_2),
    open("snowflake-arctic-embed-l-v2.0", 1024, 8192).prefixes(ARCTIC_2),
    open("e5-small", 384, 512).prefixes(E5),
    open("e5-base", 768, 512).prefixes(E5),
    open("e5-large", 1024, 512).prefixes(E5),
    open("e5-small-v2", 384, 512).prefixes(E5),
    open("e5-base-v2", 768, 512).prefixes(E5),
    open("e5-large-v2", 1024, 512).prefixes(E5),
    open("multilingual-e5-small", 384, 512).prefixes(E5),
    open("multilingual-e5-base", 768, 512).prefixes(E5),
    open("multilingual-e5-large", 1024, 512).prefixes(E5),
    open("multilingual-e5-large-instruct", 1024, 512).prefixes(E5_INSTRUCT),
];
