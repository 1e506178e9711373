//! Identifiers of chunks, documents and knowledge bases.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::exact::{bytes, from_text, hex};

/// A UUID, ordered as PostgreSQL orders them; 32 hexadecimal digits in JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub [u8; 16]);

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0.into_iter()))
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(self.0.into_iter()))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer, "an identifier", |text| bytes(text)?.try_into().ok().map(Id))
    }
}
