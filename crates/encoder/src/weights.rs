//! The weights file of a model.

use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::mapped::{Element, MappedFile, Tensor};
use crate::modules::{DENSE, Modules};
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
    /// The weights of that variant in the model's directory. In f32 these are the weights of the body.
    pub(crate) fn open(directory: &Path, variant: Variant, modules: Modules) -> Result<Weights, Error> {
        let mut weights = Weights::map(directory, variant)?;
        if variant == Variant::Int8 {
            source::check(weights.path(), weights.file.notes(), directory, modules)?;
        }
        if weights.file.has("bert.embeddings.word_embeddings.weight") {
            weights.prefix = "bert.";
        }
        Ok(weights)
    }

    /// The f32 weights of the Dense layer, in their own file below the model's directory.
    pub(crate) fn open_dense(directory: &Path) -> Result<Weights, Error> {
        Weights::map(&directory.join(DENSE), Variant::F32)
    }

    fn map(directory: &Path, variant: Variant) -> Result<Weights, Error> {
        let file = MappedFile::open(directory.join(variant.file())).map_err(|error| {
            let other = directory.join("pytorch_model.bin");
            if error.kind() == ErrorKind::Missing && variant == Variant::F32 && other.exists() {
                let name = variant.file();
                return Error::unsupported(&other, format!("is not read; save the weights as {name}"));
            }
            error
        })?;
        Ok(Weights { file, variant, prefix: "" })
    }

    /// The file, which may have more than weights.
    pub(crate) fn file(&self) -> &MappedFile {
        &self.file
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn variant(&self) -> Variant {
        self.variant
    }

    /// Whether there is a tensor of that name, of any type and shape.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.has(&format!("{}{name}", self.prefix))
    }

    /// The tensor of that name, which must have that type and exactly that shape.
    pub(crate) fn tensor<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Tensor<T>, Error> {
        self.file.tensor(&format!("{}{name}", self.prefix), shape)
    }
}
