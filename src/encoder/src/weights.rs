//! The weights file, mapped into memory: every process that maps it shares the same pages.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use safetensors::tensor::Metadata;
use safetensors::{Dtype, SafeTensors};

use crate::error::Error;
use crate::files;

/// The longest header read, in bytes; one of 24 layers has 50,000.
const HEADER_LIMIT: u64 = 4 << 20;
/// Bytes of the header's length, which stands before it.
const LENGTH_SIZE: usize = 8;

/// An opened `model.safetensors` whose tensors have yet to be looked up and checked.
pub(crate) struct Weights {
    path: PathBuf,
    map: Arc<Mmap>,
    metadata: Metadata,
    /// Where the tensors' bytes start in the file.
    data_start: usize,
    /// What stands before every tensor's name: nothing, or "bert." where a head was trained on top.
    prefix: &'static str,
}

/// A row-major matrix, or a vector, of f32 that lies in the mapped file.
#[derive(Clone)]
pub(crate) struct Tensor {
    map: Arc<Mmap>,
    start: usize,
    length: usize,
}

impl Weights {
    pub(crate) fn open(directory: &Path) -> Result<Weights, Error> {
        let path = directory.join("model.safetensors");
        if cfg!(target_endian = "big") {
            return Err(Error::unsupported(&path, "weights cannot be mapped on a big-endian machine"));
        }
        let file = files::open(&path)?;
        // SAFETY: the map is only ever read. Like every reader of a mapped file this relies on nobody
        // changing the file in place; `Encoder` tells its users so.
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
        let bare = metadata.info("embeddings.word_embeddings.weight").is_some();
        let prefix = if bare { "" } else { "bert." };
        Ok(Weights { path, map: Arc::new(map), metadata, data_start: LENGTH_SIZE + header, prefix })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The tensor of that name, which must be f32 and of exactly that shape.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, Error> {
        let info = self
            .metadata
            .info(&format!("{}{name}", self.prefix))
            .ok_or_else(|| Error::invalid(&self.path, format!("has no tensor {name}")))?;
        if info.dtype != Dtype::F32 {
            return Err(Error::unsupported(
                &self.path,
                format!("tensor {name} is {:?}, only F32 is supported", info.dtype),
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
        if bytes.len() != length * size_of::<f32>() {
            return Err(Error::invalid(&self.path, format!("tensor {name} has {} bytes", bytes.len())));
        }
        if !bytes.as_ptr().cast::<f32>().is_aligned() {
            return Err(Error::invalid(
                &self.path,
                format!("tensor {name} does not start at a multiple of 4"),
            ));
        }
        Ok(Tensor { map: Arc::clone(&self.map), start: self.data_start + from, length })
    }
}

impl Deref for Tensor {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        let bytes = &self.map[self.start..];
        // SAFETY: `Weights::tensor`, the only maker of tensors, checked that `length` f32 lie within the map
        // from `start` on and are aligned there; the map neither moves nor goes while `self.map` holds it,
        // and every bit pattern is an f32.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<f32>(), self.length) }
    }
}
