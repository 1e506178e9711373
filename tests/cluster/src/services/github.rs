//! GitHub: the API, and the other host that gives out archives.

use std::io::Write;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tar::{Builder, EntryType, Header};

use super::http::{Answer, Service};

/// Something in an archive.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A file in the repository.
    File(String, Vec<u8>),
    /// A symbolic link in the repository, and where it leads.
    Link(String, String),
    /// A hard link.
    HardLink(String, String),
    /// A file whose whole path is this, whatever it is.
    Raw(String, Vec<u8>),
}

impl Entry {
    /// A file.
    pub fn file(path: &str, content: &str) -> Entry {
        Entry::File(path.to_string(), content.into())
    }

    fn path(&self) -> &str {
        match self {
            Entry::File(path, _) | Entry::Link(path, _) | Entry::HardLink(path, _) | Entry::Raw(path, _) => {
                path
            }
        }
    }

    fn append(&self, archive: &mut Builder<GzEncoder<Vec<u8>>>) {
        let mut header = Header::new_gnu();
        header.set_mode(0o644);
        let (path, content): (String, &[u8]) = match self {
            Entry::File(path, content) => (format!("o-n-abc/{path}"), content),
            Entry::Raw(path, content) => (path.clone(), content),
            Entry::Link(path, to) | Entry::HardLink(path, to) => {
                let is_link = matches!(self, Entry::Link(..));
                header.set_entry_type(if is_link { EntryType::Symlink } else { EntryType::Link });
                header.set_link_name(to).expect("a link");
                (format!("o-n-abc/{path}"), &[])
            }
        };
        header.set_size(content.len() as u64);
        // set_path refuses paths that a test needs.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        archive.append(&header, content).expect("a buffer");
    }
}

/// The tar.gz of these entries.
pub fn packed(entries: &[Entry]) -> Vec<u8> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for entry in entries {
        entry.append(&mut archive);
    }
    let mut packed = archive.into_inner().expect("a buffer");
    packed.flush().expect("a buffer");
    packed.finish().expect("a buffer")
}

struct Repository {
    entries: Vec<Entry>,
    commit: u32,
}

/// The repository o/n with the branch main. Its archives are at another origin than its API.
pub struct GitHub {
    /// The API.
    pub api: Service,
    /// The host of archives.
    pub archives: Service,
    repository: Arc<Mutex<Repository>>,
}

impl GitHub {
    /// Starts with these files.
    pub fn start(files: &[(&str, &str)]) -> GitHub {
        let repository = Arc::new(Mutex::new(Repository { entries: Vec::new(), commit: 0 }));
        let packing = repository.clone();
        let archives = Service::start(move |_| {
            let entries = packing.lock().expect("the repository").entries.clone();
            Answer::from_body(packed(&entries)).header("content-type", "application/x-gzip")
        });
        let (answering, archive) = (repository.clone(), archives.url());
        let api = Service::start(move |asked| {
            let sha = sha(answering.lock().expect("the repository").commit);
            let not_found = || Answer::status(404, r#"{"message": "Not Found", "status": "404"}"#);
            let Some(path) = asked.path.strip_prefix("/repos/o/n") else { return not_found() };
            match path {
                "" => Answer::json(&json!({ "full_name": "o/n", "default_branch": "main" })),
                "/commits/main" if asked.header("accept") == Some("application/vnd.github.sha") => {
                    Answer::from_body(sha)
                }
                "/commits/nowhere" => {
                    Answer::status(422, r#"{"message": "No commit found for SHA: nowhere", "status": "422"}"#)
                }
                _ if path == format!("/tarball/{sha}") => {
                    Answer::status(302, "").header("location", &format!("{archive}/o/n/legacy.tar.gz/{sha}"))
                }
                _ => not_found(),
            }
        });
        let github = GitHub { api, archives, repository };
        github.commit(files);
        github
    }

    /// A new commit with these files and no others.
    pub fn commit(&self, files: &[(&str, &str)]) {
        self.commit_entries(files.iter().map(|(path, content)| Entry::file(path, content)).collect());
    }

    /// The same with any entries.
    pub fn commit_entries(&self, entries: Vec<Entry>) {
        let mut repository = self.repository.lock().expect("the repository");
        repository.entries = entries;
        repository.commit += 1;
    }

    /// A new commit that changes one file, adds it, or with None deletes it.
    pub fn change(&self, path: &str, content: Option<&str>) {
        let mut entries = self.repository.lock().expect("the repository").entries.clone();
        let change = content.map(|content| Entry::file(path, content));
        match (entries.iter().position(|entry| entry.path() == path), change) {
            (Some(place), Some(entry)) => entries[place] = entry,
            (Some(place), None) => drop(entries.remove(place)),
            (None, entry) => entries.extend(entry),
        }
        self.commit_entries(entries);
    }

    /// The branch names this commit again, counted from 1.
    pub fn reset_to(&self, commit: u32, entries: Vec<Entry>) {
        *self.repository.lock().expect("the repository") = Repository { entries, commit };
    }

    /// Clears the logs.
    pub fn forget(&self) {
        self.api.forget();
        self.archives.forget();
    }
}

fn sha(commit: u32) -> String {
    format!("{commit:040x}")
}
