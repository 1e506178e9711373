//! Reads the unigram vocabulary of `tokenizer.json`, the file of Hugging Face's library tokenizers.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use yada::DoubleArray;

use crate::error::Error;
use crate::files;
use crate::tokenizer::{Piece, TokenizerFile};

/// The file within the model's directory.
pub(crate) const FILE: &str = "tokenizer.json";

/// The largest file that is read, in bytes; that of 250,000 pieces has 17 MB.
const FILE_LIMIT: u64 = 256 << 20;

/// The contents of `tokenizer.safetensors` for the model in directory `dir`, made from its `tokenizer.json`. The same file
/// gives the same bytes on any machine.
///
/// # Errors
///
/// As for [`Encoder::open`](crate::Encoder::open) if the file cannot be read;
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if it has another vocabulary, or cuts texts into words or
/// normalizes them in another way than sentencepiece does.
pub fn convert_tokenizer(dir: &Path) -> Result<Vec<u8>, Error> {
    let path = &dir.join(FILE);
    let text = files::read_text(path, FILE_LIMIT)?;
    let file: File = serde_json::from_str(&text).map_err(|error| Error::invalid(path, error.to_string()))?;
    file.tokenizer(path)?.into_bytes(path)
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: Option<Value>,
    pre_tokenizer: Option<Value>,
    post_processor: Option<Value>,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    unk_id: Option<u32>,
    #[serde(default)]
    byte_fallback: bool,
    vocab: Value,
}

impl File {
    fn tokenizer(self, path: &Path) -> Result<TokenizerFile, Error> {
        let unsupported = |what: &str| Error::unsupported(path, format!("{what} is not supported"));
        let kind = self.model.kind.as_deref().unwrap_or("no type");
        if kind != "Unigram" {
            return Err(unsupported(&format!(
                "a vocabulary of type {kind} (without vocab.txt, only Unigram)"
            )));
        }
        if self.model.byte_fallback {
            return Err(unsupported("byte_fallback"));
        }
        let vocabulary: Vec<(String, f32)> = serde_json::from_value(self.model.vocab)
            .map_err(|error| Error::invalid(path, format!("model.vocab: {error}")))?;
        for step in steps(self.pre_tokenizer.as_ref(), "pretokenizers") {
            // All that these do for words is done for every text.
            let is_plain = match kind_of(step) {
                "WhitespaceSplit" => true,
                "Metaspace" => {
                    let prepends = step.get("prepend_scheme").and_then(Value::as_str);
                    let adds = step.get("add_prefix_space").and_then(Value::as_bool);
                    prepends.map_or(adds != Some(false), |scheme| scheme != "never")
                }
                _ => false,
            };
            if !is_plain {
                return Err(unsupported(&format!("pre_tokenizer {step}")));
            }
        }
        let mut replacements = BTreeMap::new();
        for step in steps(self.normalizer.as_ref(), "normalizers") {
            match kind_of(step) {
                "Precompiled" => replacements.extend(
                    step.get("precompiled_charsmap")
                        .and_then(Value::as_str)
                        .and_then(replaced)
                        .ok_or_else(|| Error::invalid(path, "precompiled_charsmap cannot be read"))?,
                ),
                // Spaces beside each other are one, and those at the ends none.
                "Strip" => {}
                "Replace" if step.pointer("/pattern/Regex").and_then(Value::as_str) == Some(" {2,}") => {}
                _ => return Err(unsupported(&format!("normalizer {step}"))),
            }
        }
        let (begin, end) = self.post_processor.as_ref().and_then(around).ok_or_else(|| {
            unsupported("a post_processor that does not put one token on either side of a text")
        })?;
        let id = |name: &str| {
            let place = vocabulary.iter().position(|(text, _)| text == name);
            place
                .and_then(|place| u32::try_from(place).ok())
                .ok_or_else(|| Error::invalid(path, format!("has no piece {name}")))
        };
        let (begin, end) = (id(&begin)?, id(&end)?);
        let unknown = self.model.unk_id.ok_or_else(|| unsupported("a vocabulary without unk_id"))?;
        let controls: Vec<u32> =
            self.added_tokens.iter().map(|token| token.id).chain([begin, end, unknown]).collect();
        let pieces = vocabulary.into_iter().zip(0_u32..).map(|((text, score), id)| Piece {
            text,
            score,
            is_control: controls.contains(&id),
        });
        Ok(TokenizerFile { pieces: pieces.collect(), replacements, begin, end, unknown })
    }
}

/// The steps of a sequence, or the only one.
fn steps<'a>(value: Option<&'a Value>, list: &str) -> Vec<&'a Value> {
    let Some(value) = value else { return Vec::new() };
    match value.get(list).and_then(Value::as_array) {
        Some(steps) if kind_of(value) == "Sequence" => steps.iter().collect(),
        _ => vec![value],
    }
}

fn kind_of(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The tokens before and after a text.
fn around(processor: &Value) -> Option<(String, String)> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match kind_of(processor) {
        "TemplateProcessing" => {
            let template = processor.get("single")?.as_array()?;
            let [begin, sequence, end] = template.as_slice() else { return None };
            sequence.get("Sequence")?;
            Some((text(begin.pointer("/SpecialToken/id"))?, text(end.pointer("/SpecialToken/id"))?))
        }
        "RobertaProcessing" | "BertProcessing" => {
            Some((text(processor.pointer("/cls/0"))?, text(processor.pointer("/sep/0"))?))
        }
        _ => None,
    }
}

/// The single characters that sentencepiece's table replaces: the length of a trie in the layout of darts-clone, the trie,
/// whose values are places, and at each place a text that ends with a zero byte.
fn replaced(table: &str) -> Option<BTreeMap<char, String>> {
    let bytes = STANDARD.decode(table).ok()?;
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (trie, texts) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    // The root must not be a leaf: yada 0.7 does not check it.
    if trie.get(3)? & 0x80 != 0 {
        return None;
    }
    let trie = DoubleArray::new(trie).ok()?;
    let mut replacements = BTreeMap::new();
    let mut buffer = [0; 4];
    // Spaces and what else can be printed in ASCII stay as they are.
    for character in ('\u{1}'..=char::MAX).filter(|character| !(' '..='~').contains(character)) {
        let key: &[u8] = character.encode_utf8(&mut buffer).as_bytes();
        let found = trie.common_prefix_search(key).find(|&(_, length)| length == key.len());
        let Some((place, _)) = found else { continue };
        let text = texts.get(place as usize..)?.split(|&byte| byte == 0).next()?;
        replacements.insert(character, std::str::from_utf8(text).ok()?.to_owned());
    }
    Some(replacements)
}
