//! The weights file, mapped into memory: every process that maps it shares the same pages.

use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use safetensors::tensor::Metadata;
use safetensors::{Dtype, SafeTensors};

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::modules::{DENSE, Modules};
use crate::source;
use crate::variant::Variant;

/// The longest header that is read, in bytes; that of 24 layers has 50,000.
const HEADER_LIMIT: u64 = 4 << 20;
/// The size in bytes of the header's length, which precedes it.
const LENGTH_SIZE: usize = 8;

/// An opened weights file whose tensors are not yet looked up and checked.
pub(crate) struct Weights {
    path: PathBuf,
    variant: Variant,
    map: Arc<Mmap>,
    metadata: Metadata,
    /// Where the tensors' bytes start in the file.
    data_start: usize,
    /// The prefix of every tensor's name: nothing, or "bert." if a head was trained on top.
    prefix: &'static str,
}

/// A row-major array of numbers in the mapped file.
#[derive(Clone)]
pub(crate) struct Tensor<T: Element = f32> {
    map: Arc<Mmap>,
    start: usize,
    length: usize,
    element: PhantomData<T>,
}

/// The possible elements of a tensor.
///
/// # Safety
///
/// Every bit pattern must be a value, and `DTYPE` must be the name of this type.
pub(crate) unsafe trait Element: Copy {
    const DTYPE: Dtype;
}

// SAFETY: every four bytes are an f32, in the byte order of the file, as `Weights::open` ensures.
unsafe impl Element for f32 {
    const DTYPE: Dtype = Dtype::F32;
}

// SAFETY: every byte is an i8.
unsafe impl Element for i8 {
    const DTYPE: Dtype = Dtype::I8;
}

// SAFETY: every byte is a u8.
unsafe impl Element for u8 {
    const DTYPE: Dtype = Dtype::U8;
}

impl Weights {
    /// The weights of that variant in the model's directory. In f32 these are the weights of the body.
    pub(crate) fn open(directory: &Path, variant: Variant, modules: Modules) -> Result<Weights, Error> {
        let mut weights = Weights::map(directory, variant)?;
        if variant == Variant::Int8 {
            let metadata = weights.metadata.metadata().as_ref();
            source::check(&weights.path, metadata, directory, modules)?;
        }
        if weights.metadata.info("embeddings.word_embeddings.weight").is_none() {
            weights.prefix = "bert.";
        }
        Ok(weights)
    }

    /// The f32 weights of the Dense layer, in their own file below the model's directory.
    pub(crate) fn open_dense(directory: &Path) -> Result<Weights, Error> {
        Weights::map(&directory.join(DENSE), Variant::F32)
    }

    fn map(directory: &Path, variant: Variant) -> Result<Weights, Error> {
        let path = directory.join(variant.file());
        if cfg!(target_endian = "big") {
            return Err(Error::unsupported(&path, "weights cannot be mapped on a big-endian machine"));
        }
        let file = files::open(&path).map_err(|error| {
            let other = directory.join("pytorch_model.bin");
            if error.kind() == ErrorKind::Missing && variant == Variant::F32 && other.exists() {
                let name = variant.file();
                return Error::unsupported(&other, format!("is not read; save the weights as {name}"));
            }
            error
        })?;
        // SAFETY: the map is only ever read. Like every reader of a mapped file, this relies on the file not
        // being changed in place; `Encoder` documents that.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io(&path, &error))?;
        if let Some(bytes) = map.first_chunk::<LENGTH_SIZE>() {
            let length = u64::from_le_bytes(*bytes);
            if length > HEADER_LIMIT {
                return Err(Error::invalid(
                    &path,
                    format!("a header of {length} bytes, more than {HEADER_LIMIT}"),
                ));
            }
        }
        let (header, metadata) = SafeTensors::read_metadata(&map)
            .map_err(|error| Error::invalid(&path, format!("not a whole safetensors file: {error}")))?;
        let data_start = LENGTH_SIZE + header;
        Ok(Weights { path, variant, map: Arc::new(map), metadata, data_start, prefix: "" })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn variant(&self) -> Variant {
        self.variant
    }

    /// Whether there is a tensor of that name, of any type and shape.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.metadata.info(&format!("{}{name}", self.prefix)).is_some()
    }

    /// The tensor of that name, which must have that type and exactly that shape.
    pub(crate) fn tensor<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Tensor<T>, Error> {
        let info = self
            .metadata
            .info(&format!("{}{name}", self.prefix))
            .ok_or_else(|| Error::invalid(&self.path, format!("has no tensor {name}")))?;
        if info.dtype != T::DTYPE {
            return Err(Error::unsupported(
                &self.path,
                format!("tensor {name} is {:?}, only {:?} is supported", info.dtype, T::DTYPE),
            ));
        }
        if info.shape != shape {
            return Err(Error::invalid(
                &self.path,
                format!("tensor {name} has shape {:?}, config.json says {shape:?}", info.shape),
            ));
        }
        let (from, to) = info.data_offsets;
        let bytes = to
            .checked_add(self.data_start)
            .and_then(|end| self.map.get(self.data_start + from..end))
            .ok_or_else(|| Error::invalid(&self.path, format!("tensor {name} lies outside the file")))?;
        let length = shape.iter().product::<usize>();
        if bytes.len() != length * size_of::<T>() {
            return Err(Error::invalid(&self.path, format!("tensor {name} has {} bytes", bytes.len())));
        }
        if !bytes.as_ptr().cast::<T>().is_aligned() {
            return Err(Error::invalid(
                &self.path,
                format!("tensor {name} does not start at a multiple of {}", align_of::<T>()),
            ));
        }
        let start = self.data_start + from;
        Ok(Tensor { map: Arc::clone(&self.map), start, length, element: PhantomData })
    }
}

impl<T: Element> Deref for Tensor<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let bytes = &self.map[self.start..];
        // SAFETY: `Weights::tensor`, the only constructor of tensors, checked that `length` elements lie
        // within the map from `start` on and are aligned there. The map neither moves nor is dropped while
        // `self.map` holds it, and every bit pattern is an element.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), self.length) }
    }
}
