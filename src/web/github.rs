//! Repositories of GitHub, read from one archive of a commit: an anonymous client has 60 calls an hour.

use std::cell::Cell;

use kb_rag_core::web::github::{ACCEPT_SHA, Repository, default_branch, error_message, rate_limited, sha};
use kb_rag_core::web::{Verdict, WebUrl, verdict};
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::fetch::{Fetched, Fetcher, MAX_ANSWER_BYTES, now};
use super::fetching::Ready;
use super::page::{self, Outcome, Page, Status};
use super::source::Source;
use super::{crawl, document, fetching, schedule, usage};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::extraction::{self, Text};
use crate::queue;

/// The most bytes of all files of a repository.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;
/// As many files are written in one transaction.
const GROUP: usize = 16;
/// Redirects of an archive.
const MAX_HOPS: usize = 3;

/// A repository that is about to be fetched.
pub struct RepositoryPlan {
    base: Uuid,
    source: Source,
    repository: Repository,
    fetcher: Fetcher,
    /// The commit whose files were all written, and stay as they are.
    known: Option<String>,
    /// Requests that were not counted yet.
    calls: Cell<i64>,
}

/// All files of a commit.
pub struct Archive {
    pub sha: String,
    branch: String,
    bytes: Vec<u8>,
}

/// The files of a commit that were read.
pub struct Files {
    files: Vec<Named>,
    /// How many there are, with those that were left out because there are too many.
    total: usize,
}

struct Named {
    path: String,
    url: String,
    /// Or why it cannot be read.
    text: std::result::Result<Text, String>,
}

impl Files {
    pub fn in_groups(&self) -> impl Iterator<Item = FileGroup<'_>> {
        self.files.chunks(GROUP).map(FileGroup)
    }
}

/// Files that are written together.
pub struct FileGroup<'a>(&'a [Named]);

impl RepositoryPlan {
    /// Begins a crawl of a repository.
    pub fn begin(base: &KnowledgeBase, source: &Source, fetcher: Fetcher) -> Result<RepositoryPlan> {
        let repository = Repository::parse(&source.url()?).map_err(Error::internal)?;
        let mut source = source.clone();
        source.crawl = crawl::start(base, &source)?;
        let known = root(&source)?.and_then(|root| root.etag);
        // What an earlier version of a reader or of the chunker made is read again. Not what could not be read: it stays as it is.
        let documents = known.as_ref().map_or(Ok(Vec::new()), |_| page::indexed_documents(source.id))?;
        let known = if document::is_any_outdated(base, documents)? { None } else { known };
        Ok(RepositoryPlan { base: base.id, source, repository, fetcher, known, calls: Cell::new(0) })
    }

    /// Counts the requests of [`fetch`](Self::fetch), whatever they gave.
    pub fn count_calls(&self) -> Result<()> {
        usage::count_calls(self.base, self.source.provider(), self.calls.take())
    }

    /// The files of the newest commit; None if they were fetched before.
    pub fn fetch(&self) -> std::result::Result<Option<Archive>, Fetched> {
        let branch = match &self.repository.reference {
            Some(branch) => branch.clone(),
            None => {
                let body = self.call(&self.repository.repository_path(), "application/vnd.github+json")?;
                default_branch(&body).map_err(|fault| Fetched::Refused(self.fetcher.redact(fault)))?
            }
        };
        let body = self.call(&self.repository.commit_path(&branch), ACCEPT_SHA)?;
        let sha = sha(&body).map_err(|fault| Fetched::Refused(self.fetcher.redact(fault)))?;
        if self.known.as_ref() == Some(&sha) {
            return Ok(None);
        }
        let bytes = self.call(&self.repository.archive_path(&sha), "application/octet-stream")?;
        Ok(Some(Archive { sha, branch, bytes }))
    }

    /// Calls the API. Its key goes to the API alone: an archive is elsewhere.
    fn call(&self, path: &str, accept: &str) -> std::result::Result<Vec<u8>, Fetched> {
        let base = self.fetcher.base_url.trim_end_matches('/');
        let refused = |fault: String| Fetched::Refused(self.fetcher.redact(fault));
        let mut url = WebUrl::parse(&format!("{base}{path}")).map_err(|fault| refused(fault.to_string()))?;
        let headers = [("accept".to_string(), accept.to_string())];
        for _ in 0..=MAX_HOPS {
            self.calls.update(|calls| calls + 1);
            let response = self.fetcher.get(&url, &headers, MAX_ANSWER_BYTES)?;
            if let Some(after) = rate_limited(response.status, &response.headers, now()) {
                return Err(Fetched::Later {
                    reason: "GitHub's limit of calls is reached; a key for the provider github raises it"
                        .to_string(),
                    after: Some(after),
                    whole_host: None,
                });
            }
            match verdict(&url, response.status, &response.headers, now()) {
                Verdict::Content => return Ok(response.body),
                Verdict::Redirect(next) => url = next,
                Verdict::Gone | Verdict::Unchanged => {
                    // A private repository is answered like one that does not exist.
                    return Err(refused(format!(
                        "GitHub answered {}: the repository or branch does not exist, or needs a key",
                        response.status
                    )));
                }
                Verdict::Later { reason, after, .. } => {
                    return Err(Fetched::Later { reason, after, whole_host: None });
                }
                Verdict::Refused(reason) => {
                    let said = error_message(&response.body).map(|said| format!(": {said}"));
                    return Err(refused(format!("GitHub: {reason}{}", said.unwrap_or_default())));
                }
            }
        }
        Err(refused("it redirects too often".to_string()))
    }

    /// Reads the files, by the program kb-rag-extract.
    pub fn read(&self, archive: &Archive) -> Result<Files> {
        let max = u32::try_from(self.source.max_pages).unwrap_or(0);
        let patterns = self.source.patterns()?;
        // Those that are left out do not count.
        let read = extraction::read_archive(
            &archive.bytes,
            self.repository.path.as_deref(),
            if self.source.exclude_patterns.is_empty() { max } else { u32::MAX },
            MAX_UNPACKED_BYTES,
            &format!("repository \"{}\"", self.source.location),
        )?;
        let mut files = Vec::new();
        for (path, text) in read.files {
            if !patterns.matches_path(&format!("/{path}")) {
                files.push(Named { url: self.repository.file_url(&archive.branch, &path), path, text });
            }
        }
        let total = files.len() + read.left_out as usize;
        files.truncate(max as usize);
        Ok(Files { files, total })
    }

    fn current(&self) -> Result<Option<(KnowledgeBase, Source)>> {
        let Ready::Source(base, source, _) = fetching::ready(self.base, self.source.id)? else {
            return Ok(None);
        };
        // Another crawl may have begun meanwhile.
        Ok((source.crawl == self.source.crawl).then_some((*base, *source)))
    }

    /// Writes some files.
    pub fn store(&self, group: FileGroup) -> Result<()> {
        let Some((base, source)) = self.current()? else { return Ok(()) };
        // If this ends in the middle and the branch goes back, its files are not those of the commit that is known.
        if let Some(root) = root(&source)?.filter(|root| root.etag.is_some()) {
            write_root(&root, None, None)?;
        }
        let urls: Vec<String> = group.0.iter().map(|named| named.url.clone()).collect();
        page::found(source.id, source.crawl, 1, &urls, i32::MAX)?;
        for Named { path, url, text } in group.0 {
            let Some(page) = page::of_url(source.id, url)? else { continue };
            let (status, error, document) = match text {
                Err(error) => (Status::Failed, Some(error.clone()), None),
                Ok(text) if text.content().trim().is_empty() => (Status::Skipped, None, None),
                Ok(text) => {
                    let content = text.content();
                    let name = path.rsplit('/').next().unwrap_or(path);
                    let new = document::Text {
                        key: url,
                        title: Some(text.properties.title.as_deref().unwrap_or(path)),
                        mime_type: text.mime_type(),
                        language: text.properties.language.as_deref(),
                        hash: Sha256::digest(content.as_bytes()).to_vec(),
                        bytes: content.len() as i64,
                        filename: Some(name),
                        reader: text.properties.reader.clone(),
                        content,
                    };
                    (Status::Indexed, None, Some(document::write(&base, &source, new, &[])?))
                }
            };
            page.write(Outcome { status, error: error.as_deref(), validators: None, document, links: None })?;
        }
        Ok(())
    }

    /// Ends the crawl after the last file.
    pub fn finish(&self, files: &Files, sha: &str, job: Uuid) -> Result<()> {
        queue::done(&[job])?;
        let Some((base, source)) = self.current()? else { return Ok(()) };
        if files.files.len() < files.total {
            schedule::incomplete(source.id)?;
        }
        usage::count(&base, source.provider(), 0, files.files.len() as i64, 0)?;
        page::found(source.id, source.crawl, 0, &[root_url(&source)], i32::MAX)?;
        let Some(root) = root(&source)? else { return Ok(()) };
        let note = self.note(files);
        write_root(&root, Some(sha), note.as_deref())?;
        if !self.end(&base, &source)? {
            // With force, the files are read again.
            write_root(&root, None, note.as_deref())?;
        }
        Ok(())
    }

    /// What the source shows besides errors.
    fn note(&self, files: &Files) -> Option<String> {
        let (read, total) = (files.files.len(), files.total);
        match (read, &self.repository.path) {
            (0, Some(path)) => Some(format!("no Markdown or text file is in {path}")),
            (0, None) => Some("the repository has no Markdown or text file".to_string()),
            _ if read < total => Some(format!("read {read} of {total} files: raise max_pages to read all")),
            _ => None,
        }
    }

    /// Ends the crawl of a commit that was fetched before.
    pub fn unchanged(&self, job: Uuid) -> Result<()> {
        queue::done(&[job])?;
        let Some((base, source)) = self.current()? else { return Ok(()) };
        page::all_found(source.id, source.crawl)?;
        self.end(&base, &source).map(drop)
    }

    /// Whether what is gone was removed.
    fn end(&self, base: &KnowledgeBase, source: &Source) -> Result<bool> {
        let source = Source::lock(source.id)?.unwrap_or_else(|| source.clone());
        crawl::finish(base, &source)
    }
}

/// A URL that no file has: it stands for the repository, keeps the commit, and has no document of its own.
fn root_url(source: &Source) -> String {
    format!("{}#", source.location)
}

fn root(source: &Source) -> Result<Option<Page>> {
    page::of_url(source.id, &root_url(source))
}

fn write_root(root: &Page, sha: Option<&str>, note: Option<&str>) -> Result<()> {
    root.write(Outcome {
        status: Status::Skipped,
        error: note,
        validators: Some((sha, None)),
        document: None,
        links: None,
    })
}
