//! Writes a safetensors file. The crate of that name writes its metadata in random order.

use std::collections::BTreeMap;

use serde::Serialize;

/// The tensors start at a multiple of this, the size of a cache line.
const ALIGNMENT: usize = 64;

/// Tensors by kind, in the order in which they are stored in the file. First the panels, each a multiple of
/// 64 bytes and so at the start of a cache line, then tensors that must be aligned for u32 and f32, then
/// single bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Panels,
    Integers,
    Floats,
    Bytes,
    Characters,
}

impl Section {
    fn dtype(self) -> &'static str {
        match self {
            Section::Panels | Section::Characters => "U8",
            Section::Integers => "U32",
            Section::Floats => "F32",
            Section::Bytes => "I8",
        }
    }
}

/// The file's tensors, sorted.
#[derive(Default)]
pub(crate) struct TensorFile {
    tensors: BTreeMap<(Section, String), Tensor>,
}

struct Tensor {
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// An entry of the header.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Metadata(BTreeMap<&'static str, String>),
    Tensor { dtype: &'static str, shape: &'a [usize], data_offsets: [usize; 2] },
}

impl TensorFile {
    /// Adds a tensor; its bytes are in the order of the file, the least significant first.
    pub(crate) fn put(&mut self, section: Section, name: &str, shape: &[usize], bytes: Vec<u8>) {
        self.tensors.insert((section, name.to_owned()), Tensor { shape: shape.to_vec(), bytes });
    }

    /// The bytes of the file, with these notes in its header.
    pub(crate) fn into_bytes(self, metadata: BTreeMap<&'static str, String>) -> Vec<u8> {
        let mut header = BTreeMap::from([("__metadata__", Entry::Metadata(metadata))]);
        let mut end = 0;
        for ((section, name), tensor) in &self.tensors {
            let data_offsets = [end, end + tensor.bytes.len()];
            end = data_offsets[1];
            header.insert(name, Entry::Tensor { dtype: section.dtype(), shape: &tensor.shape, data_offsets });
        }
        // Serializing names and numbers cannot fail.
        let mut header = serde_json::to_vec(&header).unwrap_or_default();
        let length = (size_of::<u64>() + header.len()).next_multiple_of(ALIGNMENT) - size_of::<u64>();
        header.resize(length, b' ');
        let mut bytes = Vec::with_capacity(size_of::<u64>() + length + end);
        bytes.extend((length as u64).to_le_bytes());
        bytes.extend(header);
        for tensor in self.tensors.into_values() {
            bytes.extend(tensor.bytes);
        }
        bytes
    }
}
