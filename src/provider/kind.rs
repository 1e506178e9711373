//! What a provider is: a service that embeds, or one that fetches.

use kb_rag_core::provider::Kind;

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// A service that embeds texts.
    Model(Kind),
    /// Any website, fetched by kb_rag itself: it has no URL of its own.
    Web,
    /// GitHub's API, or that of GitHub Enterprise.
    GitHub,
    /// Firecrawl's API, version 2, which fetches pages.
    Firecrawl,
}

impl ProviderKind {
    /// The names of all kinds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let fetching = [Self::Web, Self::GitHub, Self::Firecrawl];
        Kind::ALL.into_iter().map(Self::Model).chain(fetching).map(Self::name)
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<ProviderKind> {
        let fetching = [Self::Web, Self::GitHub, Self::Firecrawl].into_iter();
        Kind::parse(name).map(Self::Model).or_else(|| fetching.into_iter().find(|kind| kind.name() == name))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Model(kind) => kind.name(),
            Self::Web => "web",
            Self::GitHub => "github",
            Self::Firecrawl => "firecrawl",
        }
    }

    /// The service's own address; None for the web.
    pub fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::Model(kind) => Some(kind.default_base_url()),
            Self::Web => None,
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
            Self::Web | Self::GitHub | Self::Firecrawl => None,
        }
    }
}
