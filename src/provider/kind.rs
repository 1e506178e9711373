//! What a provider is: a service that has models, one that fetches, or one that searches.

use kb_rag_core::provider::Kind;

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// A service with models.
    Model(Kind),
    /// Any website, fetched by kb_rag itself: it has no URL of its own.
    Web,
    /// GitHub's API, or that of GitHub Enterprise.
    GitHub,
    /// Firecrawl's API, version 2, which fetches pages.
    Firecrawl,
    /// A search endpoint of a manifest's search block, which kb_retrieve asks.
    External,
}

impl ProviderKind {
    /// Those without models.
    const OTHER: [Self; 4] = [Self::Web, Self::GitHub, Self::Firecrawl, Self::External];

    /// The names of all kinds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Kind::ALL.into_iter().map(Self::Model).chain(Self::OTHER).map(Self::name)
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<ProviderKind> {
        Kind::parse(name)
            .map(Self::Model)
            .or_else(|| Self::OTHER.into_iter().find(|kind| kind.name() == name))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Model(kind) => kind.name(),
            Self::Web => "web",
            Self::GitHub => "github",
            Self::Firecrawl => "firecrawl",
            Self::External => "external",
        }
    }

    /// The service's own address; None for the web, and for search endpoints, each of which has another.
    pub fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::Model(kind) => Some(kind.default_base_url()),
            Self::Web | Self::External => None,
            Self::GitHub => Some("https://api.github.com"),
            Self::Firecrawl => Some("https://api.firecrawl.dev"),
        }
    }

    /// The header that carries the key.
    pub fn auth_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Model(kind) => kind.auth_header(key),
            _ => ("authorization", format!("Bearer {key}")),
        }
    }

    /// The kind of a service that embeds.
    pub fn embedding(self) -> Option<Kind> {
        match self {
            Self::Model(kind) => Some(kind),
            Self::Web | Self::GitHub | Self::Firecrawl | Self::External => None,
        }
    }

    /// Whether it fetches pages.
    pub fn fetches(self) -> bool {
        matches!(self, Self::Web | Self::GitHub | Self::Firecrawl)
    }

    /// The kind of a service with chat models.
    pub fn chat(self) -> Option<Kind> {
        self.embedding().filter(|kind| kind.has_chat())
    }
}
