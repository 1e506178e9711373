//! Files of a form: each is a document, which is added as soon as it has come, in a transaction of its own.

use std::collections::BTreeSet;

use http::StatusCode;
use http::request::Parts;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use kb_rag_core::multipart::{Event, Head, Multipart, Wrong};
use serde_json::{Map, Value};
use tokio_postgres::error::SqlState;

use super::answer::{Mistake, json};
use super::api;
use super::fields::{self, Fields};
use super::server::{Server, UPLOAD_TIME};
use crate::database::As;
use crate::http_server::{Answer, BodyLimits, Held, Pieces, Refusal, drain, last};
use crate::output;

const MAX_FILES: usize = 100;
const MAX_PARTS: usize = 200;
/// The bytes of all fields.
const MAX_FIELDS: usize = 1024 * 1024;
/// A form has at most as many bytes as so many files of the largest size.
const LARGEST_FILES: usize = 10;

/// The arguments of a file, which a form has as fields.
const ARGUMENTS: &[&str] = &[
    "knowledge_base",
    "filename",
    "title",
    "source_key",
    "source_type",
    "metadata",
    "mime_type",
    "language",
];

/// Adds the files of a form. The answer has an entry for each; one that is wrong does not undo the others.
pub async fn add(
    server: &Server,
    head: &Parts,
    kind: &str,
    body: &mut Incoming,
    role: As,
) -> Result<Answer, Mistake> {
    let arguments = fields::pairs(head.uri.query().unwrap_or_default())?;
    let mut adding = Adding { server, role, arguments, keys: BTreeSet::new(), entries: Vec::new(), parts: 0 };
    match adding.all(kind, body).await {
        Ok(()) if adding.entries.is_empty() => {
            Err(Mistake::wrong("the form has no file").hint("Add one, such as -F file=@a.md."))
        }
        Ok(()) => Ok(adding.answer()),
        Err(mistake) if adding.entries.is_empty() => Err(mistake),
        // What was added stays.
        Err(mistake) => {
            adding.entries.push(mistake.into_entry());
            drain(body).await;
            Ok(last(adding.answer()))
        }
    }
}

struct Adding<'a> {
    server: &'a Server,
    role: As,
    arguments: Vec<(String, String)>,
    /// Those of the files.
    keys: BTreeSet<String>,
    /// What became of the files.
    entries: Vec<Map<String, Value>>,
    parts: usize,
}

/// What has come of a part.
struct Part<'a> {
    head: Head,
    bytes: Vec<u8>,
    held: Held<'a>,
    /// Why the rest of a file is not kept.
    refusal: Option<Mistake>,
}

impl<'a> Adding<'a> {
    async fn all(&mut self, kind: &str, body: &mut Incoming) -> Result<(), Mistake> {
        let mut form = Multipart::new(kind).map_err(wrong)?;
        let max = self.server.settings.max_upload.saturating_mul(LARGEST_FILES);
        let refused = |(status, why): Refusal| match status {
            StatusCode::PAYLOAD_TOO_LARGE => too_large("the form is too large")
                .hint(format!("A form has at most {max} bytes: send the files in several.")),
            status => Mistake::new(status, why),
        };
        let limits = BodyLimits { bytes: max, time: UPLOAD_TIME };
        let mut pieces = Pieces::new(body, limits).map_err(refused)?;
        let mut part = None;
        while let Some(data) = pieces.next().await.map_err(refused)? {
            form.feed(&data);
            while let Some(event) = form.event().map_err(wrong)? {
                match event {
                    Event::Part(head) => part = Some(self.begin(head)?),
                    Event::Data(data) => self.keep(part.as_mut(), &data)?,
                    Event::End => self.end(part.take()).await?,
                }
            }
        }
        form.finish().map_err(wrong)
    }

    fn begin(&mut self, head: Head) -> Result<Part<'a>, Mistake> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(too_large(format!("the form has more than {MAX_PARTS} parts")));
        }
        if head.filename.is_some() {
            if self.entries.len() == MAX_FILES {
                return Err(too_large(format!("the form has more than {MAX_FILES} files"))
                    .hint("Send the others in a form of their own."));
            }
            // Before anything is read of files that could not be added.
            Fields::texts_by_name(self.arguments.clone())?.needed(&["knowledge_base"])?;
        } else {
            let name = &head.name;
            if !ARGUMENTS.contains(&name.as_str()) {
                return Err(Mistake::wrong(format!("unknown argument \"{name}\""))
                    .hint(format!("Known arguments are: {}.", ARGUMENTS.join(", "))));
            }
            if !self.entries.is_empty() {
                return Err(Mistake::wrong(format!("argument \"{name}\" comes behind a file"))
                    .hint("Put the fields before the files: they are for all files."));
            }
        }
        let held = self.server.memory.hold();
        Ok(Part { head, bytes: Vec::new(), held, refusal: None })
    }

    fn keep(&self, part: Option<&mut Part<'a>>, data: &[u8]) -> Result<(), Mistake> {
        let Some(part) = part.filter(|part| part.refusal.is_none()) else { return Ok(()) };
        let size = part.bytes.len() + data.len();
        if part.head.filename.is_none() {
            let others: usize = self.arguments.iter().map(|(_, value)| value.len()).sum();
            if others + size > MAX_FIELDS {
                return Err(too_large(format!("the fields of the form have more than {MAX_FIELDS} bytes")));
            }
        }
        let max = self.server.settings.max_upload;
        let refusal = match part.held.grow(size) {
            _ if size > max && part.head.filename.is_some() => {
                Some(too_large("the file is too large").hint(format!("A file has at most {max} bytes.")))
            }
            Err((status, why)) => Some(Mistake::new(status, why)),
            Ok(()) => None,
        };
        if refusal.is_some() {
            part.bytes = Vec::new();
            part.held = self.server.memory.hold();
            part.refusal = refusal;
        } else {
            part.bytes.extend_from_slice(data);
        }
        Ok(())
    }

    async fn end(&mut self, part: Option<Part<'_>>) -> Result<(), Mistake> {
        let Some(Part { head, bytes, held: _held, refusal }) = part else { return Ok(()) };
        let Some(filename) = head.filename else { return self.field(head.name, bytes, refusal) };
        // Browsers send this where no file was chosen.
        if filename.is_empty() && bytes.is_empty() && refusal.is_none() {
            return Ok(());
        }
        // The path is that of the sender.
        let name = filename.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
        let added = match refusal {
            Some(mistake) => Err(mistake),
            None => self.file(&name, bytes).await,
        };
        let mut entry = added.unwrap_or_else(|mistake| {
            if mistake.status() == StatusCode::INTERNAL_SERVER_ERROR {
                output::error(&format!("error: POST /api/v1/files: {}", mistake.logged()));
            }
            mistake.into_entry()
        });
        entry.insert("filename".to_string(), Value::String(name));
        self.entries.push(entry);
        Ok(())
    }

    fn field(&mut self, name: String, bytes: Vec<u8>, refusal: Option<Mistake>) -> Result<(), Mistake> {
        if let Some(mistake) = refusal {
            return Err(mistake);
        }
        let Ok(value) = String::from_utf8(bytes) else {
            return Err(Mistake::wrong(format!("argument \"{name}\" is not UTF-8")));
        };
        self.arguments.push((name, value));
        // A name may be given once.
        Fields::texts_by_name(self.arguments.clone()).map(|_| ())
    }

    async fn file(&mut self, name: &str, bytes: Vec<u8>) -> Result<Map<String, Value>, Mistake> {
        let given = |wanted: &str| {
            let found = self.arguments.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let key = given("source_key").or(given("filename")).unwrap_or(name).to_string();
        let has_name = given("filename").is_some();
        if !self.keys.insert(key.clone()) {
            return Err(Mistake::new(
                StatusCode::CONFLICT,
                format!("the form has another file with the key \"{key}\""),
            )
            .hint("It would be replaced. Send this one in a form of its own, with another source_key."));
        }
        let mut arguments = self.arguments.clone();
        if !has_name {
            arguments.push(("filename".to_string(), name.to_string()));
        }
        let plan = api::add_file(&self.server.settings, Fields::texts_by_name(arguments)?, bytes)?;
        let answer = self.server.carry_out(plan, self.role.clone()).await?;
        let Ok(body) = answer.into_body().collect().await;
        serde_json::from_slice(&body.to_bytes()).map_err(|error| {
            Mistake::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the answer of the database: {error}"))
        })
    }

    /// 201 if all was added, else 207.
    fn answer(self) -> Answer {
        let is_whole = self.entries.iter().all(|entry| entry.contains_key("document_id"));
        let status = if is_whole { StatusCode::CREATED } else { StatusCode::MULTI_STATUS };
        json(status, Value::from_iter(self.entries.into_iter().map(Value::Object)).to_string())
    }
}

fn too_large(error: impl Into<String>) -> Mistake {
    Mistake::new(StatusCode::PAYLOAD_TOO_LARGE, error).code(&SqlState::PROGRAM_LIMIT_EXCEEDED)
}

fn wrong(Wrong { message, hint }: Wrong) -> Mistake {
    let mistake = Mistake::wrong(message);
    if hint.is_empty() { mistake } else { mistake.hint(hint) }
}
