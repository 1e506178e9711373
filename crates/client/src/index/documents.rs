//! The documents that a source has already.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use serde_json::Value;
use uuid::Uuid;

use super::base::Base;
use super::filter::Filter;
use super::read::Content;
use crate::connect::Session;
use crate::error::Result;

/// How many documents one statement deletes.
const BATCH: usize = 500;

/// A document of the source.
#[derive(Debug)]
pub struct Known {
    pub id: Uuid,
    pub key: String,
    hash: Option<Vec<u8>>,
    bytes: Option<i64>,
    /// Whether it is as this call would make it from the same file, with the same versions.
    current: bool,
    /// Whether an earlier version of its reader or of the chunker made it.
    outdated: bool,
    /// Whether this call names it as another kind.
    renamed: bool,
}

/// The documents of the source.
#[derive(Debug, Default)]
pub struct Documents {
    all: Vec<Known>,
    by_key: HashMap<String, Vec<usize>>,
}

impl Documents {
    fn from_known(all: Vec<Known>) -> Documents {
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::with_capacity(all.len());
        for (at, known) in all.iter().enumerate() {
            by_key.entry(known.key.clone()).or_default().push(at);
        }
        Documents { all, by_key }
    }

    /// Reads them in one query.
    pub async fn read(
        session: &Session,
        base: &Base,
        source: Uuid,
        metadata: &Value,
        language: Option<&str>,
        source_type: Option<&str>,
    ) -> Result<Documents> {
        let sql = base.sql(include_str!("sql/documents.sql"));
        let rows = session.client.query(&sql, &[&source, metadata, &language, &source_type]).await?;
        let known = rows.iter().map(|row| Known {
            id: row.get("id"),
            key: row.get("source_key"),
            hash: row.get("file_hash"),
            bytes: row.get("file_bytes"),
            current: row.get("current"),
            outdated: row.get("outdated"),
            renamed: row.get("renamed"),
        });
        Ok(Documents::from_known(known.collect()))
    }

    /// The documents of a file that the one which this call makes replaces.
    pub fn renamed(&self, key: &str) -> Vec<Uuid> {
        let places = self.by_key.get(key).map(Vec::as_slice).unwrap_or_default();
        places
            .iter()
            .map(|place| &self.all[*place])
            .filter(|known| known.renamed)
            .map(|known| known.id)
            .collect()
    }

    /// Whether a file has a document.
    pub fn contains(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// Whether a file has a document that the versions of today made from the same bytes.
    pub fn is_current(&self, key: &str, content: &Content) -> bool {
        self.by_key.get(key).into_iter().flatten().filter_map(|at| self.all.get(*at)).any(|known| {
            known.current
                && !known.outdated
                && known.hash.as_deref() == Some(&content.hash[..])
                && known.bytes == Some(content.bytes.len() as i64)
        })
    }

    /// Those that pass the filter.
    pub fn passing<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Known> {
        self.all.iter().filter(|known| is_path(&known.key) && filter.passes(&known.key))
    }

    /// How many that an earlier version made have no file any more.
    pub fn outdated_without_file(&self, directory: &Path) -> usize {
        let paths = self.all.iter().filter(|known| known.outdated && is_path(&known.key));
        paths.filter(|known| is_missing(&directory.join(&known.key))).count()
    }

    /// Those that pass the filter and whose file is no longer there or empty.
    pub fn missing<'a>(&'a self, directory: &Path, filter: &'a Filter) -> Vec<&'a Known> {
        self.passing(filter).filter(|known| is_missing(&directory.join(&known.key))).collect()
    }
}

/// Deletes documents of a source.
pub async fn delete(session: &Session, base: &Base, source: Uuid, documents: &[&Known]) -> Result<()> {
    let sql = base.sql(include_str!("sql/delete_documents.sql"));
    for batch in documents.chunks(BATCH) {
        let ids: Vec<Uuid> = batch.iter().map(|known| known.id).collect();
        session.client.execute(&sql, &[&source, &ids]).await?;
    }
    Ok(())
}

/// Whether a key can be that of a file below the directory. Others were written by hand.
fn is_path(key: &str) -> bool {
    let parts: Option<Vec<&str>> = Path::new(key)
        .components()
        .map(|part| if let Component::Normal(part) = part { part.to_str() } else { None })
        .collect();
    parts.is_some_and(|parts| !parts.is_empty() && parts.join("/") == key)
}

/// Whether there is no regular file with content. A file that cannot be looked at is not missing.
fn is_missing(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(about) => !about.is_file() || about.len() == 0,
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(number: u128, key: &str) -> Known {
        let hash = Some(vec![7; 32]);
        Known {
            id: Uuid::from_u128(number),
            key: key.to_string(),
            hash,
            bytes: Some(3),
            current: true,
            outdated: false,
            renamed: false,
        }
    }

    #[test]
    fn a_document_is_current_if_all_is_the_same() {
        let content = |byte, length| Content { bytes: vec![0; length], hash: [byte; 32] };
        let documents = Documents::from_known(vec![
            known(1, "a"),
            Known { hash: None, ..known(2, "edited") },
            Known { current: false, ..known(3, "failed") },
            Known { outdated: true, ..known(6, "outdated") },
            Known { hash: None, ..known(4, "twice") },
            known(5, "twice"),
        ]);
        for (key, content, current) in [
            ("a", content(7, 3), true),
            ("a", content(8, 3), false),
            ("a", content(7, 4), false),
            ("edited", content(7, 3), false),
            ("failed", content(7, 3), false),
            ("outdated", content(7, 3), false),
            ("twice", content(7, 3), true),
            ("none", content(7, 3), false),
        ] {
            assert_eq!(documents.is_current(key, &content), current, "{key}");
        }
        assert!(documents.contains("a") && !documents.contains("none"));
    }

    #[test]
    fn only_files_that_are_gone_and_pass_the_filter_are_missing() {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [("there.md", "x"), ("empty.md", ""), ("file", "x")] {
            fs::write(directory.path().join(name), text).unwrap();
        }
        fs::create_dir(directory.path().join("now-a-directory.md")).unwrap();
        let keys = [
            "there.md",
            "empty.md",
            "gone.md",
            "gone.txt",
            "file/below.md",
            "now-a-directory.md",
            "../up.md",
            "/etc/x.md",
            "https://a/b.md",
        ];
        let documents =
            Documents::from_known((1..).zip(keys).map(|(number, key)| known(number, key)).collect());
        let filter = Filter::new(&["*.md".to_string()], &[]).unwrap();
        let missing: Vec<&str> =
            documents.missing(directory.path(), &filter).iter().map(|known| known.key.as_str()).collect();
        assert_eq!(missing, ["empty.md", "gone.md", "file/below.md", "now-a-directory.md"]);
    }
}
