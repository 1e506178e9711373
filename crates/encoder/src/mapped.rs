//! A safetensors file, mapped into memory: every process that maps it shares the same pages.

use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;
use memmap2::Mmap;
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};

use crate::error::Error;
use crate::files;

/// The longest header that is read, in bytes; that of 24 layers has 50,000.
const HEADER_LIMIT: u64 = 4 << 20;
/// The size in bytes of the header's length, which precedes it.
const LENGTH_SIZE: usize = 8;

/// An opened file whose tensors are not yet looked up and checked.
pub(crate) struct MappedFile {
    path: PathBuf,
    map: Arc<Mmap>,
    metadata: Metadata,
    /// Where the tensors' bytes start in the file.
    data_start: usize,
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

// SAFETY: every four bytes are an f32, in the byte order of the file, as `MappedFile::open` ensures.
unsafe impl Element for f32 {
    const DTYPE: Dtype = Dtype::F32;
}

// SAFETY: every four bytes are a u32, in the byte order of the file, as `MappedFile::open` ensures.
unsafe impl Element for u32 {
    const DTYPE: Dtype = Dtype::U32;
}

// SAFETY: every byte is an i8.
unsafe impl Element for i8 {
    const DTYPE: Dtype = Dtype::I8;
}

// SAFETY: every byte is a u8.
unsafe impl Element for u8 {
    const DTYPE: Dtype = Dtype::U8;
}

impl MappedFile {
    pub(crate) fn open(path: PathBuf) -> Result<MappedFile, Error> {
        if cfg!(target_endian = "big") {
            return Err(Error::unsupported(&path, "weights cannot be mapped on a big-endian machine"));
        }
        let file = files::open(&path)?;
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
        Ok(MappedFile { path, map: Arc::new(map), metadata, data_start: LENGTH_SIZE + header })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The notes in the file's header.
    pub(crate) fn notes(&self) -> Option<&HashMap<String, String>> {
        self.metadata.metadata().as_ref()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.metadata.info(name).is_some()
    }

    /// The tensor of that name, which must have that type and exactly that shape.
    pub(crate) fn tensor<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Tensor<T>, Error> {
        let info = self.info::<T>(name)?;
        if info.shape != shape {
            return Err(Error::invalid(
                &self.path,
                format!("tensor {name} has shape {:?}, config.json says {shape:?}", info.shape),
            ));
        }
        self.elements(name, info)
    }

    /// The tensor of that name, which must have that type and one dimension of any length.
    pub(crate) fn list<T: Element>(&self, name: &str) -> Result<Tensor<T>, Error> {
        let info = self.info::<T>(name)?;
        if info.shape.len() != 1 {
            return Err(Error::invalid(
                &self.path,
                format!("tensor {name} has shape {:?}, not one dimension", info.shape),
            ));
        }
        self.elements(name, info)
    }

    fn info<T: Element>(&self, name: &str) -> Result<&TensorInfo, Error> {
        let info = self
            .metadata
            .info(name)
            .ok_or_else(|| Error::invalid(&self.path, format!("has no tensor {name}")))?;
        if info.dtype != T::DTYPE {
            return Err(Error::unsupported(
                &self.path,
                format!("tensor {name} is {:?}, only {:?} is supported", info.dtype, T::DTYPE),
            ));
        }
        Ok(info)
    }

    fn elements<T: Element>(&self, name: &str, info: &TensorInfo) -> Result<Tensor<T>, Error> {
        let (from, to) = info.data_offsets;
        let bytes = to
            .checked_add(self.data_start)
            .and_then(|end| self.map.get(self.data_start + from..end))
            .ok_or_else(|| Error::invalid(&self.path, format!("tensor {name} lies outside the file")))?;
        let length = info.shape.iter().product::<usize>();
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
        // SAFETY: `MappedFile::elements`, the only constructor of tensors, checked that `length` elements lie
        // within the map from `start` on and are aligned there. The map neither moves nor is dropped while
        // `self.map` holds it, and every bit pattern is an element.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), self.length) }
    }
}
