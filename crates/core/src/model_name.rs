//! Names of embedding models, `provider/model`, and the spaces of their vectors.

use std::fmt;

/// The name of an embedding model, `provider/model`. Any text can be one: it may name no model.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    text: String,
    /// Where the first slash is.
    slash: Option<usize>,
}

/// What a model name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// A directory on the server.
    Local {
        /// Its name.
        directory: &'a str,
    },
    /// Vectors made from hashes of words.
    Fake,
    /// A model of a provider, whether or not that provider exists.
    Remote {
        /// The provider's name.
        provider: &'a str,
        /// The model's name at the provider.
        model: &'a str,
    },
    /// Nothing: there can be no model of this name.
    Nothing,
}

impl ModelName {
    /// The prefixes of models that are built in: no provider has such a name.
    pub const BUILT_IN: [&'static str; 2] = ["local", "fake"];

    /// Takes a name apart.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let slash = text.find('/');
        Self { text, slash }
    }

    /// The full name, `provider/model`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part before the first slash, or all of a name without a slash: as PostgreSQL's `split_part(name, '/', 1)`.
    pub fn provider(&self) -> &str {
        self.slash.map_or(&self.text, |slash| &self.text[..slash])
    }

    /// The part after the first slash: the model's name at its provider. Empty without a slash.
    pub fn model(&self) -> &str {
        self.slash.map_or("", |slash| &self.text[slash + 1..])
    }

    /// What the name refers to.
    pub fn origin(&self) -> Origin<'_> {
        match (self.slash, self.provider(), self.model()) {
            (None, ..) | (_, "fake", "") => Origin::Nothing,
            (_, "local", directory) => Origin::Local { directory },
            (_, "fake", _) => Origin::Fake,
            (_, provider, model) => Origin::Remote { provider, model },
        }
    }

    /// Whether the model belongs to a provider, whether or not that provider exists.
    pub fn is_remote(&self) -> bool {
        matches!(self.origin(), Origin::Remote { .. })
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What vectors must have in common to be compared: the model, and the number of dimensions requested of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EmbeddingSpace {
    /// The model that makes the vectors.
    pub model: ModelName,
    /// How many numbers a vector has.
    pub dimensions: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_at_its_first_slash() {
        for (text, provider, model) in [
            ("openai/text-embedding-3-small", "openai", "text-embedding-3-small"),
            ("tei/BAAI/bge-m3", "tei", "BAAI/bge-m3"),
            ("local/all-minilm-l6-v2", "local", "all-minilm-l6-v2"),
            ("openai/", "openai", ""),
            ("/x", "", "x"),
            ("bge-m3", "bge-m3", ""),
            ("", "", ""),
        ] {
            let name = ModelName::new(text);
            assert_eq!((name.as_str(), name.provider(), name.model()), (text, provider, model));
            assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn a_name_says_where_its_model_is() {
        for (text, origin) in [
            ("local/small", Origin::Local { directory: "small" }),
            ("local/a/b", Origin::Local { directory: "a/b" }),
            ("local/", Origin::Local { directory: "" }),
            ("fake/a", Origin::Fake),
            ("openai/x", Origin::Remote { provider: "openai", model: "x" }),
            ("tei/BAAI/bge-m3", Origin::Remote { provider: "tei", model: "BAAI/bge-m3" }),
            ("Local/x", Origin::Remote { provider: "Local", model: "x" }),
            ("/x", Origin::Remote { provider: "", model: "x" }),
            ("fake/", Origin::Nothing),
            ("local", Origin::Nothing),
            ("", Origin::Nothing),
        ] {
            assert_eq!(ModelName::new(text).origin(), origin, "{text}");
        }
    }

    #[test]
    fn only_models_of_providers_are_remote() {
        assert!(ModelName::new("openai/x").is_remote());
        assert!(!ModelName::new("openai").is_remote());
        for provider in ModelName::BUILT_IN {
            assert!(!ModelName::new(format!("{provider}/x")).is_remote());
            assert!(!ModelName::new(format!("{provider}/")).is_remote());
        }
    }

    #[test]
    fn vectors_of_another_model_or_length_are_in_another_space() {
        let space = |model: &str, dimensions| EmbeddingSpace { model: ModelName::new(model), dimensions };
        assert_eq!(space("fake/a", 8), space("fake/a", 8));
        assert_ne!(space("fake/a", 8), space("fake/b", 8));
        assert_ne!(space("fake/a", 8), space("fake/a", 16));
    }
}
