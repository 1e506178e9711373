//! The parts of a Word document: files in a ZIP archive, which relationships lead to.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use kb_rag_core::extract_protocol::Failure;
use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{Events, Node, Stop, attribute};

/// The most that all parts that are read may unpack to, in bytes.
const MAX_UNPACKED: u64 = 256 << 20;

/// An open document.
pub struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The names of the parts in lower case, since they are compared without regard to case.
    names: HashMap<String, usize>,
    left: u64,
}

/// The parts that a part refers to, by the last word of the type of their relationship.
pub type Relations = HashMap<String, String>;

impl<'a> Package<'a> {
    /// Opens a ZIP archive.
    ///
    /// # Errors
    /// [`Failure::Damaged`] if it is none.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Failure> {
        let damaged = |_| Failure::Damaged("its ZIP archive cannot be opened".into());
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        let names = (0..archive.len())
            .filter_map(|at| Some((archive.name_for_index(at)?.ok()?.replace('\\', "/").to_lowercase(), at)))
            .collect();
        Ok(Self { archive, names, left: MAX_UNPACKED })
    }

    /// Whether it has a part.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(&name.to_lowercase())
    }

    /// The text of a part; None if there is no such part.
    ///
    /// # Errors
    /// [`Failure::Limit`] if the parts read so far are too large, [`Failure::Damaged`] if it cannot be unpacked.
    pub fn read(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let Some(at) = self.names.get(&name.to_lowercase()) else { return Ok(None) };
        let damaged = || Failure::Damaged(format!("its part {name} cannot be unpacked"));
        let part = self.archive.by_index(*at).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                Failure::Unsupported("an encrypted ZIP archive".into())
            }
            _ => damaged(),
        })?;
        let mut bytes = Vec::new();
        part.take(self.left + 1).read_to_end(&mut bytes).map_err(|_| damaged())?;
        self.left = self
            .left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| Failure::Limit(format!("it unpacks to more than {} MB", MAX_UNPACKED >> 20)))?;
        Ok(Some(decode(bytes)))
    }

    /// What a part refers to, within the document. The name "" stands for the document itself.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn relations(&mut self, part: &str) -> Result<Relations, Failure> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let Some(xml) = self.read(name.trim_start_matches('/'))? else { return Ok(Relations::new()) };
        let mut relations = Relations::new();
        let mut events = Events::new(&xml);
        loop {
            match events.next() {
                Ok(Some(Node::Start(tag))) if tag.local_name().into_inner() == "Relationship" => {
                    let external = attribute(&tag, "TargetMode").is_some_and(|mode| mode == "External");
                    if let (Some(kind), Some(target), false) =
                        (attribute(&tag, "Type"), attribute(&tag, "Target"), external)
                    {
                        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                        relations.entry(kind).or_insert_with(|| absolute(folder, &target));
                    }
                }
                Ok(Some(_)) => {}
                // What was found until then may do.
                Ok(None) | Err(Stop::Damaged) => return Ok(relations),
                Err(Stop::Limit(failure)) => return Err(failure),
            }
        }
    }
}

/// The name of the part that a target in this folder is.
fn absolute(folder: &str, target: &str) -> String {
    let whole = match target.strip_prefix('/') {
        Some(target) => target.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut path: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            step => path.push(step),
        }
    }
    path.join("/")
}

/// The text of a part: UTF-16 with a byte order mark, else UTF-8, which is what the standard allows.
fn decode(bytes: Vec<u8>) -> String {
    match bytes.as_slice() {
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0xEF, 0xBB, 0xBF, ..] => crate::pdf::properties::text(&bytes),
        _ => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        assert_eq!(absolute("word", "styles.xml"), "word/styles.xml");
        assert_eq!(absolute("word", "/custom/styles.xml"), "custom/styles.xml");
        assert_eq!(absolute("word", "../a/./b.xml"), "a/b.xml");
        assert_eq!(absolute("", "../../word/document.xml"), "word/document.xml");
    }
}
