//! The weights file of a model.

use std::path::Path;

use crate::error::Error;
use crate::mapped::{Element, MappedFile, Tensor};
use crate::source;
use crate::variant::Variant;

/// An opened weights file whose tensors are not yet looked up and checked.
pub(crate) struct Weights {
    file: MappedFile,
    variant: Variant,
    /// The prefix of every tensor's name: nothing, or "bert." if a head was trained on top.
    prefix: &'static str,
}

impl Weights {
    pub(crate) fn open(directory: &Path, variant: Variant) -> Result<Weights, Error> {
        let file = MappedFile::open(directory.join(variant.file()))?;
        if variant == Variant::Int8 {
            source::check(file.path(), file.notes(), directory)?;
        }
        let prefix = if file.has("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
        Ok(Weights { file, variant, prefix })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn variant(&self) -> Variant {
        self.variant
    }

    /// The tensor of that name, which must have that type and exactly that shape.
    pub(crate) fn tensor<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Tensor<T>, Error> {
        self.file.tensor(&format!("{}{name}", self.prefix), shape)
    }
}
