//! How to use the model: from `kb_model.json` if it exists, otherwise from the files that
//! sentence-transformers keeps beside the weights, otherwise the usual defaults.

use std::path::Path;

use serde::Deserialize;

use crate::config::Config;
use crate::error::Error;
use crate::files;
use crate::modules::Modules;
use crate::similarities::Similarities;

/// Tokens read if no file says how many.
const DEFAULT_MAX_TOKENS: usize = 256;
/// The most tokens read: bounds the memory and time for one text.
const MAX_TOKENS_LIMIT: usize = 512;

/// How the vectors of the tokens are combined into the vector of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pooling {
    /// The mean over all tokens, including [CLS] and [SEP].
    Mean,
    /// The vector of [CLS].
    Cls,
}

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) pooling: Pooling,
    pub(crate) max_tokens: usize,
    pub(crate) lowercase: bool,
    pub(crate) query_prefix: String,
    pub(crate) document_prefix: String,
    pub(crate) similarities: Similarities,
}

/// `kb_model.json`. An unknown field is an error, because it is probably misspelt.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ModelFile {
    pooling: Option<Pooling>,
    max_tokens: Option<u64>,
    lowercase: Option<bool>,
    query_prefix: Option<String>,
    document_prefix: Option<String>,
    /// The match_threshold of a model without `kb_similarity.json`.
    threshold: Option<f64>,
}

/// `config_sentence_transformers.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PromptsFile {
    prompts: Option<Prompts>,
}

/// What a model wants before a text, by the purpose of the text. Other purposes are ignored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Prompts {
    query: Option<String>,
    document: Option<String>,
    /// The name for documents in some models.
    passage: Option<String>,
}

/// `1_Pooling/config.json` of sentence-transformers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PoolingFile {
    /// Newer files have this instead of the fields below.
    pooling_mode: Option<Modes>,
    /// False if the tokens of a prefix have no part in the vector.
    include_prompt: Option<bool>,
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
}

/// One kind of pooling, or several whose vectors are put together.
#[derive(Deserialize)]
#[serde(untagged)]
enum Modes {
    One(String),
    Several(Vec<String>),
}

/// `sentence_bert_config.json` of sentence-transformers.
#[derive(Deserialize)]
struct SequenceFile {
    max_seq_length: Option<u64>,
}

/// `tokenizer_config.json` of transformers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenizerFile {
    do_lower_case: Option<bool>,
    strip_accents: Option<bool>,
    tokenize_chinese_chars: Option<bool>,
}

impl Settings {
    pub(crate) fn read(directory: &Path, config: &Config, modules: Modules) -> Result<Settings, Error> {
        let path = directory.join("kb_model.json");
        let file: ModelFile = files::read_optional_json(&path)?.unwrap_or_default();
        let pooling = match file.pooling {
            Some(pooling) => pooling,
            None => read_pooling(directory, modules)?,
        };
        let max_tokens = match file.max_tokens {
            Some(tokens) => check_max_tokens(&path, "max_tokens", tokens, MAX_TOKENS_LIMIT, config)?,
            None => read_max_tokens(directory, config)?,
        };
        let lowercase = read_lowercase(directory, file.lowercase)?;
        let prompts = read_prompts(directory)?;
        let document = prompts.document.or(prompts.passage);
        Ok(Settings {
            pooling,
            max_tokens,
            lowercase,
            query_prefix: file.query_prefix.or(prompts.query).unwrap_or_default(),
            document_prefix: file.document_prefix.or(document).unwrap_or_default(),
            similarities: Similarities::read(directory, file.threshold)?,
        })
    }
}

fn read_prompts(directory: &Path) -> Result<Prompts, Error> {
    let path = directory.join("config_sentence_transformers.json");
    let file: PromptsFile = files::read_optional_json(&path)?.unwrap_or_default();
    Ok(file.prompts.unwrap_or_default())
}

fn read_pooling(directory: &Path, modules: Modules) -> Result<Pooling, Error> {
    let path = directory.join("1_Pooling").join("config.json");
    let file: PoolingFile = if modules.listed {
        files::read_json(&path)?
    } else if let Some(file) = files::read_optional_json(&path)? {
        file
    } else {
        return Ok(Pooling::Mean);
    };
    let pooling = match &file.pooling_mode {
        Some(Modes::One(mode)) => Pooling::named(mode),
        Some(Modes::Several(modes)) => match modes.as_slice() {
            [mode] => Pooling::named(mode),
            _ => None,
        },
        None => file.chosen(),
    };
    let Some(pooling) = pooling else {
        return Err(Error::unsupported(
            &path,
            "asks for neither mean nor cls pooling alone; set pooling in kb_model.json to override",
        ));
    };
    if file.include_prompt == Some(false) {
        return Err(Error::unsupported(
            &path,
            "include_prompt false is not supported; set pooling in kb_model.json to override",
        ));
    }
    Ok(pooling)
}

impl Pooling {
    /// The name in the model's files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        }
    }

    fn named(name: &str) -> Option<Pooling> {
        [Pooling::Mean, Pooling::Cls].into_iter().find(|pooling| pooling.name() == name)
    }
}

impl PoolingFile {
    /// What a file of the older form asks for.
    fn chosen(&self) -> Option<Pooling> {
        let others = self.pooling_mode_max_tokens
            || self.pooling_mode_mean_sqrt_len_tokens
            || self.pooling_mode_weightedmean_tokens
            || self.pooling_mode_lasttoken;
        match (self.pooling_mode_mean_tokens, self.pooling_mode_cls_token, others) {
            (true, false, false) => Some(Pooling::Mean),
            (false, true, false) => Some(Pooling::Cls),
            _ => None,
        }
    }
}

fn read_max_tokens(directory: &Path, config: &Config) -> Result<usize, Error> {
    let path = directory.join("sentence_bert_config.json");
    let file: Option<SequenceFile> = files::read_optional_json(&path)?;
    match file.and_then(|file| file.max_seq_length) {
        // A model that could read more tokens than this encoder is still usable.
        Some(tokens) => Ok(check_max_tokens(&path, "max_seq_length", tokens, config.positions, config)?
            .min(MAX_TOKENS_LIMIT)),
        None => {
            let tokens = config.positions.min(DEFAULT_MAX_TOKENS);
            let path = directory.join("config.json");
            check_max_tokens(&path, "max_position_embeddings", tokens as u64, MAX_TOKENS_LIMIT, config)
        }
    }
}

/// Three tokens are the minimum for any text: [CLS], one token of the text and [SEP].
fn check_max_tokens(
    path: &Path,
    name: &str,
    tokens: u64,
    limit: usize,
    config: &Config,
) -> Result<usize, Error> {
    let limit = limit.min(config.positions);
    match usize::try_from(tokens) {
        Ok(tokens) if (3..=limit).contains(&tokens) => Ok(tokens),
        _ => Err(Error::invalid(path, format!("{name} is {tokens}, not from 3 to {limit}"))),
    }
}

fn read_lowercase(directory: &Path, choice: Option<bool>) -> Result<bool, Error> {
    let path = directory.join("tokenizer_config.json");
    let file: TokenizerFile = files::read_optional_json(&path)?.unwrap_or_default();
    let lowercase = choice.or(file.do_lower_case).unwrap_or(true);
    // BERT strips accents exactly if it lowers case; no sentence model in use does only one of the two.
    if file.strip_accents.is_some_and(|strip| strip != lowercase) {
        return Err(Error::unsupported(&path, "strip_accents differing from do_lower_case is not supported"));
    }
    if file.tokenize_chinese_chars == Some(false) {
        return Err(Error::unsupported(&path, "tokenize_chinese_chars false is not supported"));
    }
    Ok(lowercase)
}
