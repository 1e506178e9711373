//! The forms in which a model's weights are stored.

use std::path::Path;

/// Which of a model's weights files is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `model.int8.safetensors`, made by [`quantize`](crate::quantize): a quarter of the size and several
    /// times faster on queries. On the reference texts, the vectors of all-MiniLM-L6-v2 have a cosine of
    /// 0.994 or more to those of `F32`.
    Int8,
    /// `model.safetensors` as it was trained.
    F32,
}

impl Variant {
    /// The int8 weights if the directory has them, even if they are damaged, otherwise the f32 weights.
    pub(crate) fn choose(directory: &Path) -> Variant {
        match std::fs::symlink_metadata(directory.join(Variant::Int8.file())) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Variant::F32,
            _ => Variant::Int8,
        }
    }

    /// The name of the file within the model's directory.
    pub const fn file(self) -> &'static str {
        match self {
            Variant::Int8 => "model.int8.safetensors",
            Variant::F32 => "model.safetensors",
        }
    }

    /// `int8` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Int8 => "int8",
            Variant::F32 => "f32",
        }
    }
}
